"""Makes the cases by feature and records what kubectl says, one file a case."""
import os, re, subprocess, json, tempfile, sys, shutil, yaml
OUT=os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),"kustomize"); K=os.path.expanduser("~/.cache/convoy-components/bin/kubectl")
CM="apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {n}\n{x}data:\n  k: v\n"
def cm(n="cm",x=""): return CM.format(n=n,x=x)
DEP="""apiVersion: apps/v1
kind: {k}
metadata:
  name: {n}
spec:
  replicas: 2
  selector:
    matchLabels: {{app: {n}}}
  template:
    metadata:
      labels: {{app: {n}}}
    spec:
      serviceAccountName: sa
      initContainers:
      - name: init
        image: busybox:1
      containers:
      - name: main
        image: nginx:1.2
        args: ["$(V)", "--x=$(V)"]
        ports:
        - containerPort: 80
        - containerPort: 53
          protocol: UDP
        env:
        - name: A
          value: "1"
        - name: B
          valueFrom: {{configMapKeyRef: {{name: cm, key: k}}}}
        envFrom:
        - secretRef: {{name: sec}}
      volumes:
      - name: v
        configMap: {{name: cm}}
"""
def dep(n="web",k="Deployment"): return DEP.format(n=n,k=k)
SVC="apiVersion: v1\nkind: Service\nmetadata: {name: svc}\nspec:\n  selector: {app: web}\n  ports:\n  - {port: 80, name: http}\n"
SEC="apiVersion: v1\nkind: Secret\nmetadata: {name: sec}\nstringData: {p: q}\n"
SA="apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: sa}\n"
NS="apiVersion: v1\nkind: Namespace\nmetadata: {name: old}\n"
RB="apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: rb}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}\nsubjects:\n- {kind: ServiceAccount, name: default}\n- {kind: ServiceAccount, name: sa, namespace: old}\n"
CRB=RB.replace("RoleBinding","ClusterRoleBinding").replace("kind: Role,","kind: ClusterRole,")
CR="apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: r}\nrules: []\n"
CUSTOM="apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  image: nginx:1.2\n  ref: {name: cm}\n  list: [{name: a, v: 1}, {name: b, v: 2}]\n"
CJ="apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: cj}\nspec:\n  schedule: \"* * * * *\"\n  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: nginx}]}}}}\n"
ING="apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ing, annotations: {nginx.ingress.kubernetes.io/auth-secret: sec}}\nspec:\n  tls: [{secretName: sec, hosts: [a.b]}]\n  rules: [{host: a.b, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: svc, port: {number: 80}}}}]}}]\n"
ALL={"cm.yaml":cm(),"dep.yaml":dep(),"svc.yaml":SVC,"sec.yaml":SEC,"sa.yaml":SA}
R="resources: ["+", ".join(ALL)+"]\n"
cases=[]
def add(feature,k,files=None,**more):
    t={}
    t.update(files or {}); t["kustomization.yaml"]=k
    t.update({a.replace("__","/"):b for a,b in more.items()})
    cases.append((feature,t))
def each(feature,ks,files=None):
    for k in ks: add(feature,R+k,{**ALL,**(files or {})})
def objs(feature,k,objects):
    for o in objects: add(feature,"resources: [o.yaml, cm.yaml]\n"+k,{"o.yaml":o,"cm.yaml":cm()})
KINDS=[dep(),dep(k="StatefulSet"),dep(k="DaemonSet"),dep(k="ReplicaSet"),CJ,SVC,SEC,RB,CRB+"---\n"+CR,ING,CUSTOM,NS,cm("x","  namespace: ns\n")]
objs("namespace","namespace: new\n",KINDS); objs("namePrefix","namePrefix: p-\n",KINDS); objs("nameSuffix","nameSuffix: -s\n",KINDS)
objs("commonLabels","commonLabels: {team: blue, app: x}\n",KINDS); objs("commonAnnotations","commonAnnotations: {a: b, c: \"1\"}\n",KINDS)
for o in KINDS[:6]: 
    for s in ("includeSelectors: true","includeTemplates: true","fields: [{path: spec/extra, create: true}]","includeSelectors: false"):
        add("labels","resources: [o.yaml]\nlabels:\n- pairs: {team: \"7\"}\n  "+s+"\n",{"o.yaml":o})
objs("resources","",KINDS)
add("resources","resources: [missing.yaml]\n"); add("resources","resources: [a.yaml, a.yaml]\n",{"a.yaml":cm()}); add("resources","resources: [l.yaml]\n",{"l.yaml":"apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n"})
for i,b in enumerate(["namePrefix: b-\n","namespace: n1\n","commonLabels: {x: y}\n","images: [{name: nginx, newTag: t}]\n","nameSuffix: -b\n","labels: [{pairs: {l: m}}]\n","configMapGenerator: [{name: g, literals: [a=b]}]\n","replicas: [{name: web, count: 9}]\n","commonAnnotations: {q: r}\n","sortOptions: {order: fifo}\n"]):
    f={"base/"+a:c for a,c in ALL.items()}; f["base/kustomization.yaml"]=R+b
    add("bases","bases: [base]\nnamePrefix: t-\n",f)
    g=dict(f); g["comp/kustomization.yaml"]="apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"+b
    g["base/kustomization.yaml"]=R
    add("components","resources: [base]\ncomponents: [comp]\nnamespace: n0\n",g)
add("components","components: [base]\n",{"base/kustomization.yaml":"namePrefix: x\n"})
for l in ["a=b","'a=\"b c\"'","a=","a=b=c","'k=multi\nline'","a=1, b=true","nokey","=v","a=b, a=c","a=<&>"]:
    for kind in ("configMap","secret"): add(kind+"Generator",f"{kind}Generator:\n- name: g\n  literals: [{l}]\n")
for kind in ("configMap","secret"):
    for o in ["envs: [e.env]","env: e.env","files: [f.txt]","files: [k=f.txt]","files: [b.bin]","files: [no.txt]","options: {labels: {a: b}, annotations: {c: d}, immutable: true, disableNameSuffixHash: true}","namespace: ns1","files: [f.txt, e.env]","files: ['a=b=c']"]:
        add(kind+"Generator",f"{kind}Generator:\n- name: g\n  {o}\n",{"e.env":"A=1\n# c\n  B=x y\n\nC\n","f.txt":"line 1\nline 2\n","b.bin":"x"*100})
    for bh in ("merge","replace","create"):
        add(kind+"Generator",f"resources: [base]\n{kind}Generator:\n- name: g\n  behavior: {bh}\n  literals: [a=2, c=3]\n",{"base/kustomization.yaml":f"namePrefix: p-\n{kind}Generator:\n- name: g\n  literals: [a=1, b=1]\n  options: {{labels: {{x: y}}}}\n"})
for o in ["disableNameSuffixHash: true","labels: {a: b}","annotations: {a: b}","immutable: true","immutable: false","labels: {a: b}, annotations: {c: d}","disableNameSuffixHash: false","labels: {x: \"1\"}","unknown: 1","labels: {own: theirs}"]:
    add("generatorOptions",f"generatorOptions: {{{o}}}\nconfigMapGenerator:\n- name: g\n  literals: [a=b]\n  options: {{labels: {{own: mine}}}}\nsecretGenerator:\n- name: s\n  literals: [a=b]\n")
IM=["newTag: v2","newName: other","digest: sha256:ab","newName: o/x, newTag: t","newTag: t, digest: sha256:cd","tagSuffix: -x","newName: a:5000/b","newTag: \"1\"","newName: \"\"","newTag: v, tagSuffix: -y"]
each("images",["images: [{name: nginx, %s}]\n"%i for i in IM]+["images: [{name: 'ngin.', newTag: z}]\n","images: [{name: busybox, newTag: b}, {name: nginx, newName: busybox}]\n"]); each("imageTags",["imageTags: [{name: nginx, %s}]\n"%i for i in IM])
each("replicas",["replicas: [{name: %s, count: %s}]\n"%x for x in [("web",0),("web",5),("none",1),("web",-1),("cm",2),("web","'3'"),("web",100000)]])
for k in ("StatefulSet","ReplicaSet","DaemonSet"): add("replicas","resources: [o.yaml]\nreplicas: [{name: web, count: 4}]\n",{"o.yaml":dep(k=k)})
SM=["metadata: {name: web}\nspec: {replicas: 9}\n","metadata: {name: web}\nspec: {template: {spec: {containers: [{name: main, image: x}]}}}\n","metadata: {name: web}\nspec: {template: {spec: {containers: [{name: new, image: x}]}}}\n","metadata: {name: web}\nspec: {template: {spec: {containers: [{name: main, $patch: delete}]}}}\n","metadata: {name: web}\n$patch: delete\n","metadata: {name: web}\nspec: {template: {spec: {containers: [{$patch: replace}, {name: z, image: z}]}}}\n","metadata: {name: web}\nspec: {template: {spec: {volumes: null}}}\n","metadata: {name: web}\nspec: {template: {spec: {containers: [{name: main, ports: [{containerPort: 80, name: h}, {containerPort: 81}]}]}}}\n","metadata: {name: web}\nspec: {template: {spec: {containers: [{name: main, env: [{name: A, value: x}, {name: Z, value: z}]}]}}}\n","metadata: {name: web}\nspec: {strategy: {$patch: replace, type: Recreate}}\n","metadata: {name: web, labels: {l: m}, annotations: {a: null}}\n","metadata: {name: none}\n","metadata: {name: web}\nspec: {template: {spec: {containers: [{name: main, $patch: replace, image: only}]}}}\n","metadata: {name: web}\nspec: {template: {spec: {$setElementOrder/containers: [{name: main}], containers: [{name: main, args: [q]}]}}}\n","metadata: {name: web}\nspec: {template: {metadata: {$deleteFromPrimitiveList/finalizers: [a]}}}\n","metadata: {name: web}\nspec: {$retainKeys: [type], strategy: {type: Recreate}}\n","metadata: {name: web}\nspec: {replicas: null, selector: wrong}\n"]
H="apiVersion: apps/v1\nkind: Deployment\n"
each("patches",["patches: [{path: p.yaml}]\n" ],{"p.yaml":H+SM[0]})
for s in SM:
    add("patchesStrategicMerge",R+"patchesStrategicMerge: [p.yaml]\n",{**ALL,"p.yaml":H+s}); add("patches",R+"patches: [{path: p.yaml}]\n",{**ALL,"p.yaml":H+s}); add("patches",R+"patches: [{path: p.yaml, target: {kind: Deployment}}]\n",{**ALL,"p.yaml":H+s})
OPS=["{op: replace, path: /spec/replicas, value: 3}","{op: add, path: /metadata/annotations/a, value: b}","{op: remove, path: /spec/replicas}","{op: add, path: /spec/template/spec/containers/-, value: {name: n}}","{op: test, path: /spec/replicas, value: 2}","{op: test, path: /spec/replicas, value: 3}","{op: copy, from: /metadata/name, path: /metadata/labels}","{op: move, from: /spec/replicas, path: /spec/other}","{op: replace, path: /metadata/name, value: other}","{op: remove, path: /none}","{op: add, path: /metadata/labels, value: {a~1b: c}}"]
for o in OPS:
    add("patchesJson6902",R+"patchesJson6902: [{target: {version: v1, kind: Deployment, name: web}, path: p.yaml}]\n",{**ALL,"p.yaml":"- "+o+"\n"}); add("patches",R+"patches: [{target: {name: 'we.*'}, path: p.yaml}]\n",{**ALL,"p.yaml":"- "+o+"\n"})
for t in ["kind: Deployment","kind: 'Dep.*'","name: 'w|svc'","name: web","group: apps","version: v1","namespace: default","labelSelector: 'a=b'","labelSelector: '!x'","annotationSelector: 'x=y'","kind: 'ConfigMap|Secret'","name: ''","name: '['"]:
    add("patches",R+"patches: [{target: {%s}, patch: '[{\"op\": \"add\", \"path\": \"/metadata/annotations/p\", \"value\": \"1\"}]'}]\n"%t,ALL)
for o in ["allowNameChange: true","allowKindChange: true","allowNameChange: true, allowKindChange: true","allowNameChange: false"]:
    add("patches",R+"patches: [{target: {name: cm}, path: p.yaml, options: {%s}}]\nnamePrefix: x-\n"%o,{**ALL,"p.yaml":"apiVersion: v1\nkind: Other\nmetadata: {name: renamed}\n"})
SRC=["{kind: ConfigMap, name: cm}","{kind: ConfigMap, fieldPath: data.k}","{kind: Deployment, fieldPath: spec.replicas}","{kind: Deployment, fieldPath: 'spec.template.spec.containers.[name=main].image', options: {delimiter: ':', index: 1}}","{kind: None}","{fieldPath: metadata.name}"]
TG=["{select: {kind: Service}, fieldPaths: [spec.selector.app]}","{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers.[name=main].env.[name=A].value']}","{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers.*.image'], options: {delimiter: ':', index: 1}}","{select: {kind: Service}, fieldPaths: [metadata.annotations.new], options: {create: true}}","{select: {name: 's.*'}, reject: [{kind: Secret}, {kind: ServiceAccount}], fieldPaths: [spec.selector.app]}","{select: {kind: Service}, fieldPaths: [spec.none]}","{select: {kind: Service}}"]
for s in SRC[:4]+SRC[4:]:
    for t in TG[:5] if s==SRC[1] else TG[:2]: add("replacements",R+"replacements:\n- source: %s\n  targets: [%s]\n"%(s,t),ALL)
for t in TG: add("replacements",R+"replacements:\n- path: r.yaml\n",{**ALL,"r.yaml":"source: %s\ntargets: [%s]\n"%(SRC[1],t)})
for f in ["metadata.name","data.k","data.none","kind"]:
    for o in ["{apiVersion: v1, kind: ConfigMap, name: cm}","{kind: ConfigMap, name: cm, version: v1}","{apiVersion: v1, kind: ConfigMap, name: zz}"]: add("vars",R+"namePrefix: p-\nvars:\n- {name: V, objref: %s, fieldref: {fieldPath: %s}}\n"%(o,f),ALL)
for c in ["nameReference: [{kind: ConfigMap, version: v1, fieldSpecs: [{kind: Widget, path: spec/ref/name}]}]","images: [{kind: Widget, path: spec/image}]","namePrefix: [{kind: Widget, path: spec/image}]","commonLabels: [{kind: Widget, path: spec/sel, create: true}]","commonAnnotations: [{kind: Widget, path: spec/ann, create: true}]","namespace: [{kind: Widget, path: spec/ns, create: true}]","varReference: [{kind: Widget, path: spec/image}]","replicas: [{kind: Widget, path: spec/n, create: true}]","nameSuffix: [{path: metadata/name}]","unknown: []","labels: [{kind: Widget, path: spec/l, create: true}]"]:
    add("configurations","resources: [w.yaml, cm.yaml]\nconfigurations: [c.yaml]\nnamePrefix: p-\nnamespace: ns\ncommonLabels: {a: b}\ncommonAnnotations: {c: d}\nimages: [{name: nginx, newTag: z}]\nlabels: [{pairs: {e: f}}]\n",{"w.yaml":CUSTOM,"cm.yaml":cm(),"c.yaml":c+"\n"})
P=["PrefixTransformer|prefix: x-\nfieldSpecs: [{path: metadata/name}]","SuffixTransformer|suffix: -x\nfieldSpecs: [{path: metadata/name}]","LabelTransformer|labels: {a: b}\nfieldSpecs: [{path: metadata/labels, create: true}]","AnnotationsTransformer|annotations: {a: b}\nfieldSpecs: [{path: metadata/annotations, create: true}]","ImageTagTransformer|imageTag: {name: nginx, newTag: q}","ReplicaCountTransformer|replica: {name: web, count: 8}\nfieldSpecs: [{path: spec/replicas, kind: Deployment}]","PatchTransformer|patch: '[{\"op\": \"add\", \"path\": \"/metadata/annotations/p\", \"value\": \"1\"}]'\ntarget: {kind: Service}","PatchStrategicMergeTransformer|paths: [p.yaml]","PatchJson6902Transformer|target: {name: web, kind: Deployment}\njsonOp: '[{\"op\": \"remove\", \"path\": \"/spec/replicas\"}]'","ReplacementTransformer|replacements: [{source: {kind: ConfigMap, fieldPath: data.k}, targets: [{select: {kind: Service}, fieldPaths: [spec.selector.app]}]}]","ValueAddTransformer|value: new\ntargets: [{selector: {kind: Service}, fieldPath: spec/clusterIP}]","SortOrderTransformer|sortOptions: {order: legacy}","HashTransformer|x: y","Nonsense|a: b"]
for p in P:
    kind,body=p.split("|"); t="apiVersion: builtin\nkind: %s\nmetadata: {name: t}\n%s\n"%(kind,body)
    add("transformers",R+"transformers: [t.yaml]\n",{**ALL,"t.yaml":t,"p.yaml":H+SM[0]}); add("validators",R+"validators: [t.yaml]\n",{**ALL,"t.yaml":t,"p.yaml":H+SM[0]}); add("transformers",R+"transformers:\n- |-\n"+"".join("  "+l+"\n" for l in t.splitlines()),{**ALL,"p.yaml":H+SM[0]})
for m in ("defaultOnly","allServiceAccounts","none","bad"):
    for u in ("true","false"): add("transformers","resources: [r.yaml, cm.yaml]\ntransformers: [t.yaml]\n",{"r.yaml":RB,"cm.yaml":cm("c","  namespace: has\n"),"t.yaml":"apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: t, namespace: nn}\nsetRoleBindingSubjects: %s\nunsetOnly: %s\n"%(m,u)})
for g in ["ConfigMapGenerator|literals: [a=b]","SecretGenerator|literals: [a=b]","ConfigMapGenerator|envs: [e.env]","SecretGenerator|files: [e.env]\ntype: t/x","ConfigMapGenerator|behavior: merge\nliterals: [a=b]","IAMPolicyGenerator|cloud: gke\nkubernetesService: {name: k}\nserviceAccount: {name: s, projectId: p}","IAMPolicyGenerator|cloud: no","ConfigMapGenerator|options: {disableNameSuffixHash: true}\nliterals: [a=b]","Nonsense|a: b","LabelTransformer|labels: {a: b}"]:
    kind,body=g.split("|"); add("generators","generators: [g.yaml]\n",{"g.yaml":"apiVersion: builtin\nkind: %s\nmetadata: {name: gen, namespace: gn}\n%s\n"%(kind,body),"e.env":"X=1\n"})
OA={"definitions":{"v1.Widget":{"type":"object","properties":{"spec":{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"}}},"x-kubernetes-patch-merge-key":"name","x-kubernetes-patch-strategy":"merge"}}}},"x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Widget","version":"v1"}]}}}
for sp in ["list: [{name: b, v: 9}]","list: [{name: c, v: 3}]","list: [{name: a, $patch: delete}]","list: [{$patch: replace}, {name: z}]","list: []","list: null","image: x","list: [{name: a, v: null}]","list: [{name: a, w: {x: 1}}, {name: q}]","list: [{v: 5}]"]:
    pw="apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {%s}\n"%sp
    add("openapi","resources: [w.yaml]\nopenapi: {path: s.json}\npatches: [{path: p.yaml}]\n",{"w.yaml":CUSTOM,"s.json":json.dumps(OA),"p.yaml":pw}); add("patches","resources: [w.yaml]\npatches: [{path: p.yaml}]\n",{"w.yaml":CUSTOM,"p.yaml":pw})
CRD={"x/v1.Widget":{"Schema":{"properties":{"kind":{"type":"string"},"apiVersion":{"type":"string"},"metadata":{"type":"object"},"spec":{"$ref":"x/v1.Spec"}}}},"x/v1.Spec":{"Schema":{"properties":{"ref":{"x-kubernetes-object-ref-api-version":"v1","x-kubernetes-object-ref-kind":"ConfigMap"},"sel":{"x-kubernetes-label-selector":""},"ann":{"x-kubernetes-annotation":""}}}}}
for k in ["namePrefix: p-\n","nameSuffix: -s\n","namespace: ns1\n","commonLabels: {a: b}\n","commonAnnotations: {a: b}\n","namePrefix: p-\nnamespace: ns1\n","labels: [{pairs: {c: d}, includeSelectors: true}]\n","","images: [{name: nginx, newTag: u}]\n","namePrefix: p-\nnameSuffix: -s\n"]:
    add("crds","resources: [w.yaml, cm.yaml]\ncrds: [crd.json]\n"+k,{"w.yaml":CUSTOM.replace("spec:\n","spec:\n  sel: {x: y}\n  ann: {x: y}\n"),"cm.yaml":cm(),"crd.json":json.dumps(CRD)})
for k in ["[originAnnotations]","[transformerAnnotations]","[managedByLabel]","[originAnnotations, transformerAnnotations]","[originAnnotations, managedByLabel]","[]","[unknown]","[transformerAnnotations, managedByLabel]","[managedByLabel, managedByLabel]","[originAnnotations, transformerAnnotations, managedByLabel]"]:
    add("buildMetadata","resources: [base, cm.yaml]\nbuildMetadata: %s\nnamePrefix: p-\nconfigMapGenerator: [{name: g, literals: [a=b]}]\n"%k,{"base/kustomization.yaml":R+"namespace: ns1\n",**{"base/"+a:c for a,c in ALL.items()},"cm.yaml":cm("other")})
each("sortOptions",["sortOptions: %s\n"%s for s in ["{order: fifo}","{order: legacy}","{order: legacy, legacySortOptions: {orderFirst: [Service], orderLast: [ConfigMap]}}","{order: bad}","{}","{order: fifo, legacySortOptions: {orderFirst: [], orderLast: []}}","{order: legacy, legacySortOptions: {orderFirst: [Secret, Service], orderLast: []}}","{order: legacy, legacySortOptions: {orderFirst: [], orderLast: [Deployment]}}","null","{order: LEGACY}"]])
for k in ["kind: Kustomization\n","kind: Other\n","apiVersion: v1\n","apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n","unknownField: 1\n","namePrefix: 1\n","NamePrefix: x-\n","metadata: {name: a}\n","resources: cm.yaml\n","commonLabels: {a: 1}\n","helmCharts: [{name: x}]\n","","namespace: null\n"]: add("kustomization",k+("resources: [cm.yaml]\n" if "resources" not in k and k else ""),{"cm.yaml":cm()})
# A list whose second key nobody uses, beside one that is patched.
add("patches","resources: [d.yaml]\npatches: [{path: p.yaml}]\n",{"d.yaml":"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{name: a, ports: [{containerPort: 80}, {containerPort: 81, name: x}]}]}}}\n","p.yaml":"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {template: {spec: {containers: [{name: a, image: i}]}}}\n"})
add("transformers",R+"transformers: [t.yaml]\n",{**ALL,"t.yaml":"apiVersion: builtin\nkind: PrefixSuffixTransformer\nmetadata: {name: t}\nprefix: a-\nsuffix: -b\nfieldSpecs: [{path: metadata/name}]\n"})
# Fields of which most cases above are refused.
for k in ["metadata: {name: a, labels: {b: c}}\n","patches: []\n","vars: null\n","apiVersion: kustomize.config.k8s.io/v1beta1\n","kind: Kustomization\nmetadata: {name: a, annotations: {x: y}}\n","# a comment\nimages: []\n","%YAML 1.1\n---\n","namespace: \"\"\n","namePrefix: null\n","openapi: {}\n","crds: []\ncomponents: []\n"]:
    add("kustomization",k+"resources: [cm.yaml]\n",{"cm.yaml":cm()})
for k in ["{a: b}","{$patch: replace, a: b}","null"]: add("kustomization","resources: [cm.yaml]\npatches:\n- patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: cm}, data: %s}'\n"%k,{"cm.yaml":cm()})
for kind in ("configMap","secret"):
    for o in ["literals: [a=1, b=true, c=null]","literals: ['x=a''b']","envs: [e.env, f.env]","files: [sub/f.txt]","files: [x/y=f.txt]","options: {annotations: {t: \"1\"}}\n  literals: [a=b]","namespace: ns1\n  literals: [a=b]","options: {disableNameSuffixHash: true}\n  files: [f.txt]","behavior: create\n  literals: [a=b]","literals: ['multi=\"x\"\"y\"', z=]"]:
        add(kind+"Generator",f"{kind}Generator:\n- name: g\n  {o}\n",{"e.env":"A=1\n# c\n","f.env":"B=2\n","f.txt":"line 1\nline 2\n","sub/f.txt":"x"})
for r in [("web",1),("web",7)]:
    for k in ("Deployment","StatefulSet","ReplicaSet"):
        add("replicas","resources: [o.yaml]\nnamePrefix: p-\nreplicas: [{name: %s, count: %s}]\n"%r,{"o.yaml":dep(k=k)})
for o in [dep(),dep(k="StatefulSet"),CJ]:
    add("replicas","resources: [o.yaml, d.yaml]\nreplicas: [{name: other, count: 3}]\n",{"o.yaml":o,"d.yaml":dep("other")})
VAR="vars: [{name: V, objref: {kind: %s, name: %s, apiVersion: %s}%s}]\n"
for k,n,v,f in [("Service","svc","v1",""),("ConfigMap","cm","v1",", fieldref: {fieldpath: data.k}"),("Deployment","web","apps/v1",", fieldref: {fieldpath: spec.replicas}"),("Deployment","web","apps/v1",", fieldref: {fieldpath: 'spec.template.spec.containers[0].image'}"),("ServiceAccount","sa","v1",", fieldref: {fieldpath: metadata.name}"),("Service","svc","v1",", fieldref: {fieldpath: spec.ports[0].port}")]:
    for p in ("","namePrefix: p-\n"): add("vars",R+p+VAR%(k,n,v,f),ALL)
# (A validator that sets what is there already is refused by kustomize only: it compares positions in files too.)
for v in ["PrefixTransformer|prefix: ''\nfieldSpecs: [{path: metadata/name}]","AnnotationsTransformer|annotations: {}\nfieldSpecs: [{path: metadata/annotations}]","ImageTagTransformer|imageTag: {name: none, newTag: q}","SuffixTransformer|suffix: ''\nfieldSpecs: [{path: metadata/name, kind: None}]","LabelTransformer|labels: {}\nfieldSpecs: [{path: metadata/labels}]","ReplacementTransformer|replacements: []","ValueAddTransformer|value: web\ntargets: [{selector: {kind: None}, fieldPath: spec/x}]","PrefixTransformer|prefix: p-\nfieldSpecs: [{path: metadata/none}]","HashTransformer|x: y"]:
    kind,body=v.split("|"); add("validators",R+"validators: [t.yaml]\n",{**ALL,"t.yaml":"apiVersion: builtin\nkind: %s\nmetadata: {name: t}\n%s\n"%(kind,body)})
# Components: each field that one may have.
for c in ["patches: [{patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"c\": \"1\"}}]', target: {kind: Service}}]\n","patchesStrategicMerge: ['{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 9}}']\n","replacements: [{source: {kind: ConfigMap, fieldPath: data.k}, targets: [{select: {kind: Service}, fieldPaths: [spec.selector.app]}]}]\n","secretGenerator: [{name: g, literals: [a=b]}]\n","configMapGenerator: [{name: cm, behavior: merge, literals: [a=b]}]\n","transformers: ['{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: x}, prefix: x-, fieldSpecs: [{path: metadata/name}]}']\n","configurations: [c.yaml]\ncommonLabels: {a: b}\n","vars: [{name: V, objref: {kind: Service, name: svc, apiVersion: v1}}]\n","resources: [own.yaml]\nnamespace: ns2\n","images: [{name: busybox, digest: 'sha256:ab'}]\nnameSuffix: -c\n","generatorOptions: {disableNameSuffixHash: true}\nconfigMapGenerator: [{name: own, literals: [a=b]}]\n","components: [../second]\n","openapi: {path: s.json}\npatches: [{patch: '{apiVersion: v1, kind: Service, metadata: {name: svc}, spec: {ports: [{port: 90}]}}'}]\n","buildMetadata: [originAnnotations]\n","sortOptions: {order: bad}\n","replicas: [{name: web, count: 6}]\n","patchesJson6902: [{target: {version: v1, kind: Service, name: svc}, patch: '[{\"op\": \"remove\", \"path\": \"/spec/ports\"}]'}]\n","crds: [crd.json]\nnamePrefix: q-\n","validators: ['{apiVersion: builtin, kind: LabelTransformer, metadata: {name: x}, labels: {}, fieldSpecs: [{path: metadata/labels}]}']\n","generators: ['{apiVersion: builtin, kind: ConfigMapGenerator, metadata: {name: gen}, literals: [a=b]}']\n"]:
    f={"base/"+a:x for a,x in ALL.items()}; f.update({"base/kustomization.yaml":R,"comp/kustomization.yaml":"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"+c,"comp/c.yaml":"commonLabels: [{path: spec/extra, kind: Service, create: true}]\n","comp/own.yaml":cm("own"),"second/kustomization.yaml":"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: s-\n","comp/s.json":json.dumps(OA),"comp/crd.json":json.dumps(CRD)})
    for top in ("","namePrefix: t-\n"): add("components","resources: [base]\ncomponents: [comp]\n"+top,f)
# Built-in plugins, each in the ways of its own fields.
def plug(kind,bodies,field="transformers",objects=None,meta="name: t"):
    objects=objects or {**ALL,"w.yaml":CUSTOM,"r.yaml":RB,"cj.yaml":CJ}
    for b in bodies:
        t="apiVersion: builtin\nkind: %s\nmetadata: {%s}\n%s\n"%(kind,meta,b)
        resources="resources: ["+", ".join(objects)+"]\n" if objects else ""
        add(kind,resources+field+": [t.yaml]\n",{**objects,"t.yaml":t,"p.yaml":H+SM[0],"e.env":"A=1\nB=x y\n","f.txt":"line 1\nline 2\n","ops.yaml":"- {op: remove, path: /spec/ports}\n"})
SPECS=["fieldSpecs: [{path: metadata/name}]","fieldSpecs: [{path: metadata/name, kind: ConfigMap}]","fieldSpecs: [{path: spec/ref/name, kind: Widget}]","fieldSpecs: [{path: metadata/name, group: apps}]","fieldSpecs: [{path: metadata/name, version: v1, kind: Service}]","fieldSpecs: [{path: metadata/labels/none}]","fieldSpecs: [{path: metadata/annotations/new, create: true}]","fieldSpecs: [{path: metadata/name}, {path: spec/selector/app, kind: Service}]","fieldSpecs: [{path: spec/template/spec/containers/name}]","fieldSpecs: [{path: metadata/name, kind: None}]"]
plug("PrefixTransformer",["prefix: p-\n"+x for x in SPECS]+["prefix: ''\n"+SPECS[0]])
plug("SuffixTransformer",["suffix: -s\n"+x for x in SPECS]+["suffix: ''\n"+SPECS[0]])
plug("PrefixSuffixTransformer",["prefix: p-\nsuffix: -s\n"+x for x in SPECS])
MAPS=["fieldSpecs: [{path: metadata/labels, create: true}]","fieldSpecs: [{path: metadata/labels}]","fieldSpecs: [{path: spec/selector, kind: Service, create: true}]","fieldSpecs: [{path: spec/template/metadata/labels, create: true, kind: Deployment}]","fieldSpecs: [{path: spec/new/deep, create: true, kind: Widget}]","fieldSpecs: [{path: metadata/annotations, create: true, group: apps}]","fieldSpecs: [{path: spec/selector/matchLabels}]","fieldSpecs: [{path: spec/image, kind: Widget}]","fieldSpecs: [{path: spec/list, kind: Widget}]","fieldSpecs: []"]
plug("LabelTransformer",["labels: {a: b, team: \"7\"}\n"+x for x in MAPS]+["labels: {}\n"+MAPS[0],"labels: {a: ''}\n"+MAPS[0]])
plug("AnnotationsTransformer",["annotations: {a: b, t: \"true\"}\n"+x for x in MAPS]+["annotations: {x/y: z}\n"+MAPS[5]])
plug("NamespaceTransformer",[u+x for u in ("","unsetOnly: true\n") for x in ("","fieldSpecs: [{path: metadata/namespace, create: true}]\n","fieldSpecs: [{path: metadata/name, kind: Namespace, create: true}]\n","fieldSpecs: [{path: spec/ref/namespace, kind: Widget, create: true}]\n","setRoleBindingSubjects: allServiceAccounts\n","setRoleBindingSubjects: none\n")],objects={**ALL,"w.yaml":CUSTOM,"r.yaml":RB,"n.yaml":NS,"x.yaml":cm("x","  namespace: has\n")},meta="name: t, namespace: nn")
plug("ImageTagTransformer",["imageTag: {name: nginx, %s}"%x for x in IM]+["imageTag: {name: nginx, newTag: t}\nfieldSpecs: [{path: spec/image, kind: Widget}]","imageTag: {name: busybox, newName: b}\nfieldSpecs: [{path: spec/none}]"])
plug("ReplicaCountTransformer",["replica: {name: web, count: %d}\nfieldSpecs: [%s]"%(c,f) for c,f in [(0,"{path: spec/replicas, kind: Deployment}"),(3,"{path: spec/replicas}"),(4,"{path: spec/count, create: true, kind: Deployment}"),(5,"{path: spec/none, kind: Deployment}"),(-1,"{path: spec/replicas, group: apps}"),(6,"{path: spec/a/b, create: true}"),(7,"{path: spec/replicas, kind: Deployment}, {path: spec/other, kind: Deployment, create: true}"),(8,"{path: spec/replicas, kind: StatefulSet}"),(9,"{path: spec/template/spec/x, create: true}"),(10,"{path: metadata/annotations/c, create: true}"),(11,"")]])
plug("PatchTransformer",["path: p.yaml","patch: '%s'"%(H+SM[0]).strip().replace("\n","\\n") if False else "path: p.yaml\ntarget: {kind: Deployment}","patch: '[{op: add, path: /metadata/labels, value: {a: b}}]'\ntarget: {kind: Service}","patch: '[{op: remove, path: /spec}]'\ntarget: {name: 'sv.*'}","patch: '{apiVersion: v1, kind: Service, metadata: {name: svc}, spec: {ports: [{port: 90}]}}'","patch: '{kind: x, metadata: {name: y, annotations: {a: b}}}'\ntarget: {labelSelector: '!none'}","patch: '{apiVersion: v1, kind: Secret, metadata: {name: sec}, $patch: delete}'","patch: '{kind: Other, metadata: {name: other}}'\ntarget: {kind: Secret}\noptions: {allowNameChange: true, allowKindChange: true}","patch: '[{op: test, path: /kind, value: x}]'\ntarget: {kind: Service}","patch: '[{op: add, path: /spec/x, value: [1, {y: z}]}]'\ntarget: {kind: Widget, group: example.com}","patch: '{kind: x, metadata: {name: y}, spec: {list: [{name: b, v: 3}]}}'\ntarget: {kind: Widget}","path: none.yaml"])
plug("PatchStrategicMergeTransformer",["paths: [p.yaml]","patches: |-\n"+"".join("  "+l+"\n" for l in (H+SM[1]).splitlines())]+["patches: |-\n"+"".join("  "+l+"\n" for l in (H+s).splitlines()) for s in SM[2:11]]+["paths: [none.yaml]","paths: [p.yaml]\npatches: '{apiVersion: v1, kind: Service, metadata: {name: svc}, spec: null}'"])
plug("PatchJson6902Transformer",["target: {version: v1, group: apps, kind: Deployment, name: web}\njsonOp: '[%s]'"%json.dumps(yaml.safe_load(o)) for o in OPS]+["target: {kind: Service, name: svc, version: v1}\njsonOp: '[{\"op\": \"remove\", \"path\": \"/spec\"}]'","target: {kind: Service, name: svc, version: v1}\njsonOp: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"a\": \"b\"}}]'","target: {kind: Service, name: svc, version: v1}\npath: ops.yaml","target: {kind: ConfigMap, name: cm, version: v1}\njsonOp: '[{\"op\": \"replace\", \"path\": \"/data/k\", \"value\": \"x\"}]'"])
plug("ReplacementTransformer",["replacements: [{source: {kind: ConfigMap, name: cm, fieldPath: data.k}, targets: [%s]}]"%t for t in TG]+["replacements: [{source: %s, targets: [{select: {kind: Service}, fieldPaths: [metadata.annotations.x], options: {create: true}}]}]"%x for x in SRC])
plug("ValueAddTransformer",["value: new\ntargets: [{selector: {kind: Service}, fieldPath: spec/clusterIP}]","value: new\ntargets: [{fieldPath: metadata/annotations/a}]","value: new\ntargets: [{selector: {kind: Deployment}, fieldPath: spec/template/spec/x}]","value: p\ntargets: [{selector: {kind: ConfigMap}, fieldPath: data/k, filePathPosition: 1}]","value: '5'\ntargets: [{selector: {kind: Widget}, fieldPath: spec/list/0/v}]","value: x\ntargets: [{selector: {name: web}, fieldPath: metadata/name}]","value: x\ntargets: [{selector: {kind: None}, fieldPath: spec/x}]","value: x\ntargets: [{selector: {kind: Service}, fieldPath: spec/a}, {selector: {kind: Secret}, fieldPath: type}]","value: x\ntargets: []","value: y\ntargets: [{selector: {kind: Secret}, fieldPath: metadata/annotations/n}]","value: x\ntargets: [{selector: {kind: Ingress}, fieldPath: spec/rules/host, filePathPosition: 2}]"])
plug("HashTransformer",["x: %d"%i for i in range(4)]); 
for i,o in enumerate([cm(),SEC,dep(),"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: h, annotations: {kustomize.config.k8s.io/needs-hash: \"true\"}}\ndata: {a: b}\n","apiVersion: v1\nkind: Secret\nmetadata: {name: h, annotations: {kustomize.config.k8s.io/needs-hash: \"true\"}}\ndata: {a: Yg==}\n",CUSTOM.replace("{name: w}","{name: w, annotations: {kustomize.config.k8s.io/needs-hash: \"true\"}}"),"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: h, annotations: {kustomize.config.k8s.io/needs-hash: \"false\"}}\n","apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm, annotations: {kustomize.config.k8s.io/behavior: merge}}\ndata: {z: y}\n"]):
    plug("HashTransformer",["x: y"],objects={"o.yaml":o})
plug("SortOrderTransformer",["sortOptions: %s"%x for x in ["{order: legacy}","{order: fifo}","{}","{order: bad}","{order: legacy, legacySortOptions: {orderFirst: [Service], orderLast: []}}","null","{order: LEGACY}","[]","{order: legacy, legacySortOptions: null}","{other: 1}"]])
plug("ConfigMapGenerator",["literals: [a=b]","literals: [a=b, c=d]\noptions: {disableNameSuffixHash: true}","envs: [e.env]","env: e.env","files: [f.txt]","files: [k=f.txt]\nliterals: [x=y]","behavior: create\nliterals: [a=b]","options: {labels: {l: m}, annotations: {o: p}}\nliterals: [a=b]","options: {immutable: true}\nliterals: [a=b]","","name: other\nliterals: [a=b]","behavior: merge\nliterals: [a=b]"],field="generators",objects={"cm.yaml":cm()},meta="name: gen, namespace: gn")
plug("SecretGenerator",["literals: [a=b]","type: x/y\nliterals: [a=b]","literals: [a=b, c=d]\noptions: {disableNameSuffixHash: true}","envs: [e.env]","files: [f.txt]","files: [k=f.txt]\nliterals: [x=y]","behavior: create\nliterals: [a=b]","options: {labels: {l: m}, annotations: {o: p}}\nliterals: [a=b]","options: {immutable: true}\nliterals: [a=b]","","literals: [bad]","behavior: replace\nliterals: [a=b]"],field="generators",objects={"s.yaml":SEC})
plug("IAMPolicyGenerator",["cloud: gke\nkubernetesService: {name: k}\nserviceAccount: {name: s, projectId: p}","cloud: gke\nkubernetesService: {name: k, namespace: ns1}\nserviceAccount: {name: s, projectId: p}","cloud: gke\nkubernetesService: {namespace: ns1}\nserviceAccount: {name: s}","cloud: gke","cloud: aws\nkubernetesService: {name: k}","kubernetesService: {name: k}","cloud: gke\nkubernetesService: {name: '5'}\nserviceAccount: {name: 'true', projectId: '1'}","cloud: GKE\nkubernetesService: {name: k}","cloud: gke\nkubernetesService: []","cloud: gke\nkubernetesService: {name: k, other: x}\nserviceAccount: {name: s, projectId: p}"],field="generators",objects={"cm.yaml":cm()})
for x in ["{order: fifo}","{order: legacy}","{order: legacy, legacySortOptions: {orderFirst: [Secret], orderLast: [Service]}}","{order: legacy, legacySortOptions: {orderFirst: [Deployment, ConfigMap], orderLast: []}}","{order: legacy, legacySortOptions: {}}","{order: legacy, legacySortOptions: {orderFirst: [Service, Service], orderLast: [Service]}}"]: add("sortOptions",R+"namePrefix: p-\nsortOptions: %s\n"%x,ALL)
for b in ("namePrefix: x-\n","images: [{name: nginx, newTag: y}]\n"): add("bases","bases: [base]\nnamespace: ns2\n",{**{"base/"+a:c for a,c in ALL.items()},"base/kustomization.yaml":R+b})
for o in ["{labels: {z: \"2\"}, disableNameSuffixHash: true}","{annotations: {own: x}, immutable: true}"]: add("generatorOptions","generatorOptions: %s\nsecretGenerator: [{name: s, literals: [a=b]}]\nconfigMapGenerator: [{name: g, files: [f.txt]}]\n"%o,{"f.txt":"x\ny\n"})
for g in ["ConfigMapGenerator|literals: [a=b, c=d]\noptions: {labels: {x: y}}","SecretGenerator|literals: [a=b]\noptions: {immutable: true}","ConfigMapGenerator|files: [e.env]","SecretGenerator|envs: [e.env]","IAMPolicyGenerator|cloud: gke\nkubernetesService: {name: k}\nserviceAccount: {name: s, projectId: p}"]:
    kind,body=g.split("|"); add("generators","generators:\n- |-\n"+"".join("  "+l+"\n" for l in ("apiVersion: builtin\nkind: %s\nmetadata: {name: gen}\n%s"%(kind,body)).splitlines())+"namePrefix: p-\n",{"e.env":"X=1\n"})
for o in OPS[:2]+OPS[3:5]: add("patchesJson6902",R+"namePrefix: p-\npatchesJson6902:\n- target: {group: apps, version: v1, kind: Deployment, name: web}\n  patch: |-\n    - %s\n    - {op: add, path: /metadata/labels, value: {x: y}}\n"%o.replace("/metadata/annotations/a, value: b","/metadata/annotations, value: {a: b}"),ALL)
for s in ("","-x"): add("validators",R+"nameSuffix: '%s'\nvalidators: [t.yaml]\n"%s,{**ALL,"t.yaml":"apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: t}\nlabels: {}\nfieldSpecs: [{path: metadata/labels}]\n"})
plug("PatchTransformer",["patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"c\": \"d\"}}]'\ntarget: {kind: %s}"%k for k in ("ConfigMap","Secret","Deployment","CronJob","RoleBinding")])
plug("ReplicaCountTransformer",["replica: {name: web, count: 12}\nfieldSpecs: [{path: spec/replicas, kind: Deployment, version: v1, group: apps}]","replica: {name: web, count: 13}\nfieldSpecs: [{path: spec/minReadySeconds, kind: Deployment, create: true}]"])
plug("AnnotationsTransformer",["annotations: {long: \"%s\"}\nfieldSpecs: [{path: metadata/annotations, create: true}]"%("x "*60),"annotations: {}\nfieldSpecs: [{path: metadata/annotations, create: true}]"])
plug("IAMPolicyGenerator",["cloud: gke\nkubernetesService: {name: k%d}\nserviceAccount: {name: s, projectId: p}"%i for i in range(3)]+["cloud: gke\nkubernetesService: {name: k, namespace: ns%d}\nserviceAccount: {name: s%d, projectId: p-1}"%(i,i) for i in range(4)],field="generators",objects={"cm.yaml":cm()})
# What generated kustomizations and public ones found.
FOLD="apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  %s: >%s\n    f(x,\n      y\n    )\n    and\n\n    more\n  list:\n  - text: >-\n      a\n       b\n"
for a,b in (("text",""),("text","-"),("text","+"),("text","2\n      lead")):
    for k in ("","namePrefix: p-\n","patches: [{target: {kind: Widget}, patch: '[{op: add, path: /spec/x, value: 1}]'}]\n","patches: [{target: {kind: Widget}, patch: '{kind: x, metadata: {name: y}, spec: {z: 1}}'}]\n"): add("found","resources: [w.yaml]\n"+k,{"w.yaml":FOLD%(a,b)})
for n in (r"\\${NAME}","x{y}","a{1}","[[]web","we[^a]","(?i)WEB",r"\\<web","web{,1}","w.b|s{0,1}vc"): add("found",R+"patches: [{target: {name: \"%s\"}, patch: '[{op: add, path: /metadata/labels, value: {hit: \"1\"}}]'}]\n"%n,ALL)
add("found","resources: [base]\n",{"base/kustomization.yaml":"resources: [cm.yaml]\nsortOptions: {}\n","base/cm.yaml":cm()})
add("found","components: [c]\n",{"c/kustomization.yaml":"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nconfigurations: [x.yaml]\n","c/x.yaml":"images: [{path: 'spec/template/spec/containers[]/image', kind: Widget}]\n"})
add("found","resources: [cm.yaml, w.yaml]\nnamePrefix: p-\nconfigurations: [x.yaml]\n",{"cm.yaml":cm(),"w.yaml":CUSTOM,"x.yaml":"namePrefix: [{path: metadata/name, kind: Widget}]\n"})
add("found","configMapGenerator: [{name: g, files: [f.txt]}]\n",{"f.txt":"\ttab\n"}); add("found","configMapGenerator: [{name: g, files: [f.txt]}]\n",{"f.txt":"\ttab \nx\n"}); add("found","configMapGenerator: [{name: g, files: [f.txt]}]\n",{"f.txt":"\ttab"})
add("found","resources: [l.yaml]\n",{"l.yaml":"kind: ConfigMapList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {t: 2020-01-02, n: 1.10}}}\n"})
add("found","resources: [o.yaml]\npatches: [{target: {kind: Widget}, patch: '{kind: x, metadata: {name: y, labels: {a: b}}}'}]\n",{"o.yaml":"kind: Widget\nmetadata: {name: w}\n"})
add("found","resources: [base, w.yaml]\ncomponents: [c]\n",{"base/kustomization.yaml":"resources: [w.yaml]\n","base/w.yaml":CUSTOM,"w.yaml":dep(),"c/kustomization.yaml":"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nopenapi: {path: s.json}\npatches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: main, image: i}]}}}}'}]\n","c/s.json":json.dumps(OA)})
PATHS={"paths":{"/apis/example.com/v1/widgets":{"get":{"x-kubernetes-group-version-kind":{"group":"example.com","version":"v1","kind":"Widget"}}}}}
add("found","resources: [w.yaml, cm.yaml]\nnamespace: ns1\nopenapi: {path: s.json}\n",{"w.yaml":CUSTOM,"cm.yaml":cm(),"s.json":json.dumps(PATHS)})
add("found","resources: [job.yaml]\npatches:\n- patch: |-\n    - {op: add, path: /metadata/labels, value: {l: \"1\"}}\n  target: {kind: Job}\n",{"job.yaml": "kind: Job\nmetadata:\n  name: api\n  annotations: {note: ~, b: 2020-01-02, c: 1.10}\nspec: {a: ~}\n"})
add("found","resources: [base]\npatches:\n- patch: |-\n    - {op: add, path: /metadata/annotations/d, value: x}\n  target: {name: api}\n",{"base/job.yaml": "kind: Job\nmetadata:\n  name: api\n  annotations: {note: ~, b: 2020-01-02, c: 1.10}\nspec: {a: ~}\n", "base/kustomization.yaml": "resources: [job.yaml]\nnamePrefix: p-\n"})
add("found","resources: [r.yaml]\n",{"r.yaml": "kind: List\nitems: {note: ~}\n"})
add("found","resources: [r.yaml]\n",{"r.yaml": "kind: List\nitems: text\n"})
add("found","resources: [r.yaml]\ncomponents: [c]\n",{"r.yaml": "kind: ConfigMap\nmetadata: {name: db}\n---\nkind: ConfigMap\nmetadata: {name: web}\n", "c/kustomization.yaml": "kind: Component\nreplacements:\n- source: {kind: ConfigMap, name: web, fieldPath: metadata.name}\n  targets:\n  - select: {kind: ConfigMap}\n"})
add("found","resources: [base]\n",{"base/r.yaml": "kind: ConfigMap\nmetadata: {name: db}\n---\nkind: ConfigMap\nmetadata: {name: web}\n", "base/kustomization.yaml": "resources: [r.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: web, fieldPath: metadata.name}\n  targets:\n  - select: {kind: ConfigMap}\n"})
add("found","resources: [r.yaml]\nreplacements:\n- source: {kind: ConfigMap, name: web, fieldPath: metadata.name}\n  targets:\n  - select: {kind: ConfigMap}\n",{"r.yaml": "kind: ConfigMap\nmetadata: {name: db}\n---\nkind: ConfigMap\nmetadata: {name: web}\n"})
add("found","resources: [r.yaml]\ncommonLabels: {app: mine}\nreplacements:\n- source: {kind: Deployment, name: web, fieldPath: spec.template.metadata.labels}\n  targets:\n  - select: {kind: Service}\n",{"r.yaml": "kind: Service\nmetadata: {name: cache}\n---\nkind: Deployment\nmetadata: {name: web}\n"})
add("found","resources: [r.yaml]\npatches:\n- patch: |-\n    - {op: replace, path: /metadata/name, value: ''}\n  target: {kind: Service}\n",{"r.yaml": "kind: Service\nmetadata: {name: cache}\n"})
add("found","resources: [r.yaml]\npatches:\n- patch: |-\n    - {op: replace, path: /metadata/name, value: one}\n  target: {kind: Service}\n",{"r.yaml": "kind: Service\nmetadata: {name: cache}\n---\nkind: Service\nmetadata: {name: web, annotations: {config.kubernetes.io/local-config: 'true'}}\n"})
# What seeds found since: patches that replace an object, nothing in braces, keys twice, quotes, descriptions of types.
def res(o,k="",**more): add("found","resources: [o.yaml, cm.yaml]\n"+k,{"o.yaml":o,"cm.yaml":cm()},**more)
DW="apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {q: w}, annotations: {note: 1.10, empty: }}\nspec: {replicas: 1}\n"
for k in ("patches: [{path: p.yaml}]\n","patches: [{path: p.yaml, target: {kind: Deployment}}]\n","patchesStrategicMerge: [p.yaml]\n"): add("found","resources: [o.yaml]\n"+k,{"o.yaml":DW,"p.yaml":H+"metadata: {name: web, annotations: {a: null}}\nspec: {a: b}\n$patch: replace\n"})
for v in ("{b: }","{a, b}","[{name: A, value: }]","!!set {a}","{b: &x , c: *x}","{b: !!null }","[? a : ]"):
    for k in ("","patches: [{target: {kind: Widget}, patch: '{kind: x, metadata: {name: y}, more: 1}'}]\n"): res("apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: "+v+"\n",k)
res("kind: ConfigMapList\nitems:\n- {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {b: , c}}\n")
add("found","resources: [base]\nbuildMetadata: [originAnnotations]\n",{"base/kustomization.yaml":"resources: [o.yaml]\npatches: [{patch: '[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": {\"l\": \"1\"}}]', target: {kind: Deployment}}]\n","base/o.yaml":DW})
add("found","resources: [base]\npatches: [{patch: '{kind: x, metadata: {name: y, labels: {a: b}}}', target: {kind: Deployment}}]\n",{"base/kustomization.yaml":"resources: [o.yaml]\nnamespace: \"5\"\n","base/o.yaml":DW})
for p in ("apiVersion: v1\nkind: ConfigMap\nkind: Ingress\nmetadata: {name: cm}\ndata: {z: y}\n","apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata:\n  a: b\n  a: c\n"): add("found","resources: [cm.yaml]\npatches: [{path: p.yaml}]\n",{"cm.yaml":cm(),"p.yaml":p})
for k in ("","patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: cm}, data: null}'}]\n","patches: [{patch: '{apiVersion: v1, kind: ConfigMap, metadata: {name: cm}, $patch: delete}'}]\n"): add("found","resources: [o.yaml]\n"+k,{"o.yaml":"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cm}\ndata:\n  a: b\n  a: c\n"})
for o in ("allowKindChange: true","allowNameChange: true"): add("found","resources: [o.yaml]\npatches: [{path: p.yaml, options: {%s}}]\n"%o,{"o.yaml":DW,"p.yaml":H+"metadata: {name: web, annotations: {a: null, b: \"2\"}}\n"})
add("found","resources: [o.yaml]\nnamespace: n1\nvalidators: [v.yaml]\n",{"o.yaml":DW,"v.yaml":"apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: v, namespace: n2}\nunsetOnly: true\n"})
add("found","resources: [o.yaml]\nreplicas: [{name: web, count: 4}]\npatches: [{path: p.yaml}]\n",{"o.yaml":DW,"p.yaml":H+"metadata: {name: web}\nspec: {replicas: \"3\"}\n"})
add("found","resources: [w.yaml]\ncomponents: [c]\n",{"w.yaml":CUSTOM,"c/kustomization.yaml":"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nopenapi: {path: s.json}\nnamespace: n1\npatchesStrategicMerge: ['{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, labels: {a: b}}}']\n","c/s.json":json.dumps(PATHS)})
add("found",R+"replacements:\n- source: {kind: ConfigMap, name: cm, fieldPath: metadata.name}\n  targets:\n  - {select: {kind: ConfigMap}, options: {delimiter: /, index: 2}}\n  - {select: {kind: Service}}\n",ALL)
add("found","resources: [w.yaml, cm.yaml]\npatches: [{patch: '{kind: x, metadata: {name: y}}', target: {kind: None}}]\ncomponents: [c]\n",{"w.yaml":CUSTOM.replace("spec:","spec:\n  template: {spec: {containers: [{name: c, image: a}]}}"),"cm.yaml":cm(),"c/kustomization.yaml":"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nopenapi: {path: s.json}\npatches: [{patch: '{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {template: {spec: {containers: [{name: c, image: z}]}}}}'}]\n","c/s.json":json.dumps({"definitions":{"v1.Widget":{"properties":{"spec":{"properties":{"template":{"$ref":"#/definitions/io.k8s.api.core.v1.PodTemplateSpec"}}}},"x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Widget","version":"v1"}]},"io.k8s.api.core.v1.PodSpec":{"properties":{"containers":{"type":"array","items":{"type":"object"},"x-kubernetes-patch-merge-key":"image","x-kubernetes-patch-strategy":"merge"}}}}})})
add("found",R+"patches: [{path: p.yaml}]\n",{**ALL,"dep.yaml":dep().replace("        env:\n        - name: A\n          value: \"1\"\n        - name: B\n          valueFrom: {configMapKeyRef: {name: cm, key: k}}\n",""),"p.yaml":H+"metadata: {name: web}\nspec: {template: {spec: {containers: [{name: main, env: [{$patch: replace}, {name: Z, value: z}]}]}}}\n"})
add("found","resources: [base, other]\n",{"base/kustomization.yaml":"resources: [d.yaml, cm.yaml]\nnameSuffix: -t\n","base/d.yaml":dep().replace("  name: web\nspec","  name: web\n  annotations: {internal.config.kubernetes.io/prefixes: x-}\nspec"),"base/cm.yaml":cm(),"other/kustomization.yaml":"resources: [cm.yaml]\n","other/cm.yaml":cm()})
for t in ("apiVersion: v1\n","","x: [1]\n","x: {Schema: {properties: {kind: {type: 1}}}}\n","x: {Schema: {items: 1, $ref: 1}}\n","x: {Dependencies: 1}\n","x: {Schema: {additionalProperties: 1}}\n","x: {SCHEMA: {required: [1]}}\n","null\n","{\"x\": {}} trailing","x: {Schema: {$ref: '%zz'}}\n","x: {Schema: {maxItems: 1.5}}\n","apiVersion: {}\nkind: {}\n"): add("found","resources: [w.yaml]\ncrds: [c.yaml]\nnamePrefix: p-\n",{"w.yaml":CUSTOM,"c.yaml":t})
for t in ("","[]","definitions: {a: {type: 1}}\n","paths: {/a: {get: {x-kubernetes-group-version-kind: {group: x}}}}\n","paths: {a: 1, /b: {get: {tags: []}}}\n","swagger: 2\n","info: {title: 1}\n","definitions: {a: {x-kubernetes-group-version-kind: [{version: a}]}}\n","a: b: c\n"):
    for o in (CUSTOM,cm()): add("found","resources: [o.yaml]\nopenapi: {path: s.yaml}\nnamespace: n1\n",{"o.yaml":o,"s.yaml":t})
for o in ("{op: remove, path: /kind}","{op: remove, path: /metadata}","{op: remove, path: /metadata/name}","{op: remove, path: /apiVersion}","{op: remove, path: \"\"}","{op: replace, path: \"\", value: {apiVersion: v1, kind: ConfigMap, metadata: {name: z}}}","{op: replace, path: \"\", value: {}}","{op: replace, path: \"\", value: []}","{op: add, path: \"\", value: {}}","{op: test, path: \"\", value: {}}","{op: copy, from: \"\", path: /x}","{op: move, from: /data, path: \"\"}","{op: replace, path: /metadata, value: {name: b}}","{op: replace, path: /metadata/name, value: 5}","{op: replace, path: /kind, value: null}","{op: replace, path: /metadata/labels, value: [x]}","{op: add, path: /metadata/labels/y, value: x}"):
    for k in ("","namePrefix: p-\n"): add("found","resources: [o.yaml]\n"+k+"patches: [{target: {kind: ConfigMap}, patch: '- %s'}]\n"%o,{"o.yaml":cm("a","  namespace: one\n  labels: {l: x}\n")})
count={}
shutil.rmtree(OUT,ignore_errors=True); os.makedirs(OUT)
from concurrent.futures import ThreadPoolExecutor
def run(c):
    feature,t,name=c
    with tempfile.TemporaryDirectory() as d:
        for p,x in t.items():
            f=os.path.join(d,"t",p); os.makedirs(os.path.dirname(f),exist_ok=True); open(f,"w").write(x)
        r=subprocess.run([K,"kustomize","t"],cwd=d,capture_output=True,text=True,env={"HOME":d,"PATH":"/nonexistent","HTTPS_PROXY":"http://127.0.0.1:9"})
    os.makedirs(f"{OUT}/{feature}",exist_ok=True)
    doc={"tool":"kubectl 1.36.3, kustomize 5.8.1","files":t}
    if r.returncode==0: doc["output"]=r.stdout
    else: doc["error"]=True
    open(f"{OUT}/{feature}/{name}.json","w").write(json.dumps(doc,indent=1)+"\n")
    return r.returncode
todo=[]
for f,t in cases:
    count[f]=count.get(f,0)+1; todo.append((f,t,"%02d"%count[f]))
print(len(todo),{k:v for k,v in count.items() if v<10})
with ThreadPoolExecutor(3) as ex: rs=list(ex.map(run,todo))
print("errors",sum(1 for r in rs if r))
