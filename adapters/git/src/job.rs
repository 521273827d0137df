//! The blocking half of a call: greets servers, receives packs, reads files.

use std::sync::Arc;

use convoy_domain::Timestamp;
use convoy_domain::access::{Access, Credentials, SignedSubject};
use convoy_domain::artifact::{Artifact, Files, Revision};
use convoy_domain::limits::Limits;
use convoy_domain::source::GitRef;
use convoy_ports::FetchError;
use convoy_web::{Authorization, Clients, Site, Trust};
use gix::ObjectId;
use tokio::runtime::Handle;

use crate::cancel::Cancel;
use crate::endpoint::{Endpoint, Repository};
use crate::fetcher::Options;
use crate::http::{self, Connection};
use crate::objects::{Objects, Store};
use crate::pack::{Pack, PackBounds};
use crate::refs::{self, TAGS, Tag, Wanted};
use crate::remote::{Depth, NoPack, Remote};
use crate::ssh;
use crate::submodules::Grafting;
use crate::tree::{self, Reading, TREE_BYTES};
use crate::wire::Wire;
use crate::{checkout, local, signature};

/// What a pack may have besides files: commits, folders, its own framing.
const PACK_OVERHEAD: u64 = 64 * 1024 * 1024;

/// Bounds of a pack with a repository's whole past.
const PAST_OBJECTS: u64 = 4_000_000;
const PAST_OBJECT_BYTES: u64 = 256 * 1024 * 1024;
const PAST_INFLATED_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// One call.
#[derive(Clone)]
pub(crate) struct Job {
    pub(crate) own: Repository,
    pub(crate) access: Access,
    pub(crate) trust: Trust,
    pub(crate) authorization: Option<Authorization>,
    pub(crate) clients: Arc<Clients>,
    pub(crate) options: Options,
    pub(crate) runtime: Handle,
    pub(crate) cancel: Cancel,
}

/// What of a repository is received.
pub(crate) struct Want<'a> {
    pub(crate) commit: ObjectId,
    /// The tag that selects the commit, where its object is wanted too.
    pub(crate) tag: Option<ObjectId>,
    /// How it is called when it is not there.
    pub(crate) name: &'a dyn ToString,
    pub(crate) depth: Depth,
}

/// How much may still be received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) bytes: u64,
    pub(crate) objects: u64,
    pub(crate) object_bytes: u64,
}

impl Budget {
    fn of(limits: &Limits) -> Self {
        let files = u64::try_from(checkout::entries(limits)).unwrap_or(u64::MAX);
        Self {
            bytes: limits.source_bytes.saturating_add(PACK_OVERHEAD),
            objects: files.saturating_add(1000),
            object_bytes: limits.file_bytes.max(TREE_BYTES),
        }
    }
}

impl Job {
    pub(crate) fn verify(&self) -> Result<(), FetchError> {
        match &self.own.endpoint {
            Endpoint::Http(_) | Endpoint::Ssh(_) => self.connect(&self.own)?.list(&["HEAD"]).map(drop),
            Endpoint::Folder(folder) => local::open(folder, self.site()).map(drop),
        }
    }

    pub(crate) fn resolve(&self, wanted: &Wanted, git_ref: &GitRef) -> Result<ObjectId, FetchError> {
        if let Endpoint::Folder(folder) = &self.own.endpoint {
            return local::resolve(&local::open(folder, self.site())?, wanted, git_ref, self.site());
        }
        let found = match wanted {
            Wanted::Commit(id) => return Ok(*id),
            Wanted::Name(name) => refs::commit_at(&self.connect(&self.own)?.list(&[name])?, name),
            Wanted::Version(constraint) => {
                let refs = self.connect(&self.own)?.list(&[TAGS])?;
                refs::highest(refs::tags(&refs), constraint).map(|tag| tag.commit)
            }
        };
        found.ok_or_else(|| self.site().not_found(git_ref))
    }

    /// Whether this source may have `commit`: it can read the repository, and the signature that it asks for is there.
    pub(crate) fn prove(&self, commit: ObjectId, git_ref: &GitRef) -> Result<(), FetchError> {
        if self.access.signature.is_none() {
            return self.verify();
        }
        let mut store = Store::default();
        let mut budget = Budget::of(&Limits::default());
        let tag = self.tag(commit, git_ref)?;
        let want = Want {
            commit,
            tag: tag.as_ref().and_then(|tag| tag.object),
            name: git_ref,
            depth: Depth::Bare,
        };
        store.add(self.receive(&self.own, &want, &mut budget)?);
        self.check_signature(&self.reading(&store, self.site()), commit, tag.as_ref())
    }

    pub(crate) fn fetch(&self, commit: ObjectId, git_ref: &GitRef, limits: &Limits) -> Result<Artifact, FetchError> {
        let tag = self.tag(commit, git_ref)?;
        let want = Want {
            commit,
            tag: tag.as_ref().and_then(|tag| tag.object),
            name: git_ref,
            depth: Depth::Newest,
        };
        let mut grafting = Grafting::new(self, Budget::of(limits), checkout::entries(limits));
        let root = grafting.tree(&self.own, &want, |reading| {
            self.check_signature(reading, commit, tag.as_ref())
        })?;
        let store = grafting.done();
        let reading = self.reading(&store, self.site());
        let files: Files = checkout::checkout(&reading, &root, limits)?;
        let time: Option<Timestamp> = tree::committed_at(&reading, &commit);
        Ok(Artifact {
            revision: Revision(commit.to_string()),
            time,
            files: Arc::new(files),
        })
    }

    pub(crate) fn site(&self) -> &Site {
        &self.own.site
    }

    pub(crate) fn reading<'a>(&'a self, objects: &'a dyn Objects, site: &'a Site) -> Reading<'a> {
        Reading {
            objects,
            site,
            cancel: &self.cancel,
        }
    }

    fn check_signature(&self, reading: &Reading<'_>, commit: ObjectId, tag: Option<&Tag>) -> Result<(), FetchError> {
        match &self.access.signature {
            Some(policy) => signature::check(policy, reading, &commit, tag),
            None => Ok(()),
        }
    }

    /// The tag whose signature counts, if one does.
    fn tag(&self, commit: ObjectId, git_ref: &GitRef) -> Result<Option<Tag>, FetchError> {
        match &self.access.signature {
            Some(policy) if policy.subject == SignedSubject::Tag => {}
            Some(_) | None => return Ok(None),
        }
        let wanted = refs::wanted(git_ref, self.site())?;
        let prefix = match (&wanted, git_ref) {
            (Wanted::Name(name), GitRef::Tag(_)) => name.as_str(),
            (Wanted::Version(_), _) => TAGS,
            (Wanted::Name(_) | Wanted::Commit(_), _) => {
                return Err(self
                    .site()
                    .signature(format!("{git_ref} is no tag, and a tag must be signed")));
            }
        };
        let tags = match &self.own.endpoint {
            Endpoint::Folder(folder) => local::tags(&local::open(folder, self.site())?, self.site())?,
            Endpoint::Http(_) | Endpoint::Ssh(_) => refs::tags(&self.connect(&self.own)?.list(&[prefix])?).collect(),
        };
        let mut tags = tags.into_iter().filter(|tag| tag.commit == commit);
        let found = match (&wanted, git_ref) {
            (Wanted::Version(constraint), _) => refs::highest(tags, constraint),
            (_, GitRef::Tag(name)) => tags.find(|tag| tag.name == *name),
            (Wanted::Name(_) | Wanted::Commit(_), _) => None,
        };
        // It may have moved since it was resolved.
        found.map(Some).ok_or_else(|| self.site().not_found(git_ref))
    }

    /// Greets the server of `at`. The source's credentials are for its own server only.
    fn connect(&self, at: &Repository) -> Result<Remote, FetchError> {
        let own = at.endpoint.same_server(&self.own.endpoint);
        let wire = Wire::new(self.runtime.clone(), self.cancel.clone(), at.site.clone());
        match &at.endpoint {
            Endpoint::Http(url) => {
                let trust = if own {
                    self.trust.clone()
                } else {
                    self.trust.elsewhere()
                };
                let client = self.clients.pick(&trust, &at.site)?;
                let policy = self.options.addresses.clone();
                let connection = Connection::new(wire.clone(), client, policy, self.authorization.clone());
                Remote::greet(wire, http::transport(connection, url)?)
            }
            Endpoint::Ssh(address) => {
                let access = match &self.access.credentials {
                    Credentials::Ssh(access) if own => Some(access),
                    Credentials::None
                    | Credentials::Basic { .. }
                    | Credentials::Token(_)
                    | Credentials::IdentityToken(_)
                    | Credentials::ClientCertificate(_)
                    | Credentials::Ssh(_)
                    | Credentials::GitHubApp(_) => None,
                };
                let way = ssh::Way {
                    policy: &self.options.addresses,
                    proxy: self.access.proxy.as_ref(),
                    access,
                };
                let transport = ssh::transport(&wire, address, &way)?;
                Remote::greet(wire, transport)
            }
            Endpoint::Folder(_) => Err(at.site.refused("a folder has no server")),
        }
    }

    /// The objects of what is wanted: alone where the server gives it so, else with all there is.
    pub(crate) fn receive(
        &self,
        at: &Repository,
        want: &Want<'_>,
        budget: &mut Budget,
    ) -> Result<Box<dyn Objects>, FetchError> {
        if let Endpoint::Folder(folder) = &at.endpoint {
            let objects = local::open(folder, &at.site)?.objects.clone();
            if !gix::objs::Exists::exists(&objects, &want.commit) {
                return Err(at.site.not_found(&want.name.to_string()));
            }
            return Ok(Box::new(objects));
        }
        let mut remote = self.connect(at)?;
        let advertised = refs::advertised(remote.advertised(), want.commit);
        let wanted = want.tag.or(advertised).unwrap_or(want.commit);
        match remote.receive(&[wanted], want.depth, budget.bytes) {
            Ok(pack) => {
                let bounds = PackBounds {
                    objects: budget.objects,
                    object_bytes: budget.object_bytes,
                    inflated_bytes: budget.bytes,
                };
                budget.bytes = budget
                    .bytes
                    .saturating_sub(u64::try_from(pack.len()).unwrap_or(u64::MAX));
                Ok(Box::new(Pack::new(pack, bounds, &self.cancel, &at.site)?))
            }
            // Protocol 2 has no other reason to say so: the whole past would not hold the commit either.
            Err(NoPack::Refused(said)) if remote.gives_any_object() && said.contains("not our ref") => {
                Err(at.site.not_found(&want.name.to_string()))
            }
            Err(NoPack::Refused(said)) => {
                let commit = want.commit;
                tracing::debug!(%commit, said, "fetching the whole past, because the server does not give the commit");
                drop(remote);
                Ok(Box::new(self.receive_past(at, want)?))
            }
            Err(NoPack::Failed(error)) => Err(error),
        }
    }

    fn receive_past(&self, at: &Repository, want: &Want<'_>) -> Result<Pack, FetchError> {
        let mut remote = self.connect(at)?;
        let refs = remote.list(&["HEAD", "refs/heads/", TAGS])?;
        let mut tips: Vec<ObjectId> = refs::tips(&refs).collect();
        tips.sort_unstable();
        tips.dedup();
        let absent = || at.site.not_found(&want.name.to_string());
        if tips.is_empty() {
            return Err(absent());
        }
        let pack = match remote.receive(&tips, Depth::Past, self.options.past_bytes) {
            Ok(pack) => pack,
            Err(NoPack::Refused(said)) => return Err(at.site.invalid(format!("its answer: {said}"))),
            Err(NoPack::Failed(error)) => return Err(error),
        };
        let bounds = PackBounds {
            objects: PAST_OBJECTS,
            object_bytes: PAST_OBJECT_BYTES,
            inflated_bytes: PAST_INFLATED_BYTES,
        };
        let pack = Pack::new(pack, bounds, &self.cancel, &at.site)?;
        match pack.header(&want.commit) {
            Ok(Some(_)) => Ok(pack),
            Ok(None) | Err(_) => Err(absent()),
        }
    }
}
