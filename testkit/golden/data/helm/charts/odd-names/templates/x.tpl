kind: Tpl
