//! What is asked of a registry: whether it is one, tags, manifests, blobs.
//!
//! # Invariant
//! Content by digest is what its digest and size say, or an error. Nothing longer than its bound is received.

use convoy_domain::source::OciContent;
use convoy_ports::FetchError;
use convoy_sprig::semver::Constraint;
use convoy_web::header::{ACCEPT, HeaderMap, HeaderValue, LINK};
use convoy_web::{Answer, Origin, Request, StatusCode, Url};
use serde::Deserialize;

use crate::connection::Connection;
use crate::digest::Digest;
use crate::layers::{self, Layers};
use crate::manifest::{self, ACCEPTED, Descriptor, Document, MANIFEST_BYTES};
use crate::reference::Reference;
use crate::tags::{self, PAGE_BYTES, PAGES, TAGS, Tagged};

/// Manifests that are looked at below an index, and how deep indexes may lie in each other.
const MANIFESTS: usize = 32;
const DEPTH: usize = 3;

/// Bytes of an error that are read.
const ERROR_BYTES: u64 = 64 * 1024;

/// Header with the digest of a manifest.
const CONTENT_DIGEST: &str = "docker-content-digest";

/// The errors that registries answer with.
#[derive(Deserialize)]
struct Errors {
    errors: Vec<ErrorOfRegistry>,
}

#[derive(Deserialize)]
struct ErrorOfRegistry {
    code: String,
}

impl Connection {
    /// Whether the server is a registry, which takes the credentials.
    pub(crate) async fn ping(&self) -> Result<(), FetchError> {
        let url = self
            .base
            .join("v2/")
            .map_err(|_| self.site.invalid("a URL of its own making"))?;
        let answer = self.send(Request::get(url).expect(StatusCode::NOT_FOUND)).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Err(self.site.not_a_repository("its `/v2/` answered 404"));
        }
        // A page that anybody serves at any path is HTML.
        let html = answer
            .headers()
            .get("content-type")
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
        if html {
            return Err(self.site.not_a_repository("its `/v2/` is a page of HTML"));
        }
        Ok(())
    }

    /// Whether tags can be listed. A registry that knows no repository of this name answers so: the path of a source may
    /// be a folder of repositories.
    pub(crate) async fn check_tags(&self) -> Result<(), FetchError> {
        let request = Request::get(self.url("tags/list?n=1")?).expect(StatusCode::NOT_FOUND);
        let answer = self.send(request).await?;
        if answer.status() != StatusCode::NOT_FOUND {
            let page = answer.body(PAGE_BYTES, "a list of tags")?.bytes().await?;
            let read = tags::parse(&page).map(drop);
            return read.map_err(|error| {
                self.site
                    .not_a_repository(format!("its list of tags cannot be read: {error}"))
            });
        }
        let body = answer.body(ERROR_BYTES, "an error")?.bytes().await?;
        let said: Result<Errors, _> = serde_json::from_slice(&body);
        let unknown =
            |error: &ErrorOfRegistry| matches!(error.code.as_str(), "NAME_UNKNOWN" | "NOT_FOUND" | "MANIFEST_UNKNOWN");
        if said.is_ok_and(|said| said.errors.iter().any(unknown)) {
            Ok(())
        } else {
            Err(self.site.not_a_repository("its list of tags answered 404"))
        }
    }

    /// The digest of what `reference` names now.
    pub(crate) async fn head(&self, reference: &Reference, wanted: &str) -> Result<Digest, FetchError> {
        let url = self.url(&format!("manifests/{}", reference.as_str()))?;
        let request = accepting(Request::head(url))
            .expect(StatusCode::NOT_FOUND)
            .expect(StatusCode::METHOD_NOT_ALLOWED);
        let answer = self.send(request).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Err(self.site.no_chart(wanted));
        }
        let announced = match answer.status() {
            StatusCode::METHOD_NOT_ALLOWED => None,
            _ => self.announced(answer.headers())?,
        };
        match announced {
            Some(digest) => Ok(digest),
            // Some registries tell no digest, or know no HEAD: its content tells it.
            None => Ok(self.manifest(reference, None, wanted).await?.0),
        }
    }

    fn announced(&self, headers: &HeaderMap) -> Result<Option<Digest>, FetchError> {
        let Some(value) = headers.get(CONTENT_DIGEST) else {
            return Ok(None);
        };
        let digest = Digest::parse(value.to_str().unwrap_or_default().trim());
        digest.map(Some).map_err(|error| self.site.invalid(error.to_string()))
    }

    /// A manifest or index, and its digest. `said` is its length by an index.
    async fn manifest(
        &self,
        reference: &Reference,
        said: Option<u64>,
        wanted: &str,
    ) -> Result<(Digest, Document), FetchError> {
        let site = self.artifact(reference);
        if said.is_some_and(|said| said > MANIFEST_BYTES) {
            return Err(site.limit(format!("{MANIFEST_BYTES} bytes of a manifest")));
        }
        let url = self.url(&format!("manifests/{}", reference.as_str()))?;
        let answer = self
            .send(accepting(Request::get(url)).expect(StatusCode::NOT_FOUND))
            .await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Err(self.site.no_chart(wanted));
        }
        let announced = self.announced(answer.headers())?;
        let bytes = answer.body(MANIFEST_BYTES, "a manifest")?.bytes().await?;
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if let Some(said) = said.filter(|said| *said != length) {
            return Err(site.invalid(format!("its manifest has {length} bytes in place of {said}")));
        }
        let expected = match reference {
            Reference::Digest(digest) => Some(digest.clone()),
            Reference::Tag(_) => announced,
        };
        let digest = expected.unwrap_or_else(|| Digest::of(&bytes));
        digest
            .check(&bytes)
            .map_err(|error| site.invalid(format!("its manifest: {error}")))?;
        let document = manifest::parse(&bytes).map_err(|error| site.invalid(error.to_string()))?;
        Ok((digest, document))
    }

    /// The layers that hold `content`: of the manifest itself, or of the first one in an index that has some.
    pub(crate) async fn layers(
        &self,
        digest: &Digest,
        content: OciContent,
        wanted: &str,
    ) -> Result<Layers, FetchError> {
        let reference = Reference::Digest(digest.clone());
        let site = self.artifact(&reference);
        let mut left = MANIFESTS;
        let mut seen: Vec<Descriptor> = Vec::new();
        let mut next = vec![(reference, None, 0)];
        while let Some((reference, said, depth)) = next.pop() {
            match self.manifest(&reference, said, wanted).await?.1 {
                Document::Manifest(found) => match layers::select(&found, content) {
                    Ok(selected) => return Ok(selected),
                    Err(_) => seen.extend(found),
                },
                Document::Index(_) if depth == DEPTH => {
                    return Err(site.limit(format!("{DEPTH} indexes within each other")));
                }
                Document::Index(found) => {
                    left = left
                        .checked_sub(found.len())
                        .ok_or_else(|| site.limit(format!("{MANIFESTS} manifests of an index")))?;
                    let below = found.into_iter().rev();
                    next.extend(below.map(|child| (Reference::Digest(child.digest), Some(child.size), depth + 1)));
                }
            }
        }
        Err(FetchError::NoChartLayer {
            url: site.as_str().to_owned(),
            found: layers::media_types(&seen),
        })
    }

    /// The bytes of a layer.
    pub(crate) async fn blob(&self, layer: &Descriptor, limit: u64) -> Result<Vec<u8>, FetchError> {
        let site = self.artifact(&Reference::Digest(layer.digest.clone()));
        if layer.size > limit {
            return Err(site.limit(format!("{limit} bytes in all files")));
        }
        let url = self.url(&format!("blobs/{}", layer.digest))?;
        let answer = self.send(Request::get(url).expect(StatusCode::NOT_FOUND)).await?;
        if answer.status() == StatusCode::NOT_FOUND {
            return Err(site.invalid("its registry does not have this layer"));
        }
        // One byte more than the manifest says tells that there are more.
        let mut body = answer.body(limit.max(layer.size.saturating_add(1)), "a layer")?;
        let longer = || {
            site.invalid(format!(
                "this layer is longer than the {} bytes of its manifest",
                layer.size
            ))
        };
        if body.announced().is_some_and(|announced| announced > layer.size) {
            return Err(longer());
        }
        let capacity = usize::try_from(layer.size).unwrap_or(usize::MAX).min(1 << 20);
        let mut bytes = Vec::with_capacity(capacity);
        let mut hasher = layer.digest.hasher();
        while let Some(piece) = body.chunk().await? {
            bytes.extend_from_slice(&piece);
            if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > layer.size {
                return Err(longer());
            }
            hasher.update(&piece);
        }
        if u64::try_from(bytes.len()).unwrap_or(u64::MAX) < layer.size {
            let (found, said) = (bytes.len(), layer.size);
            return Err(site.invalid(format!(
                "this layer has {found} bytes in place of the {said} of its manifest"
            )));
        }
        let checked = layer.digest.check_finished(hasher);
        checked.map_err(|error| site.invalid(format!("this layer: {error}")))?;
        Ok(bytes)
    }

    /// The highest version that `constraint` lets through.
    pub(crate) async fn highest(
        &self,
        constraint: &Constraint,
        content: OciContent,
        wanted: &str,
    ) -> Result<Tagged, FetchError> {
        let all = self.tags(wanted).await?;
        tags::highest(&all, constraint, content).ok_or_else(|| self.site.no_chart(wanted))
    }

    async fn tags(&self, wanted: &str) -> Result<Vec<String>, FetchError> {
        let first = self.url("tags/list")?;
        let mut url = first.clone();
        let mut all = Vec::new();
        let mut asked = Vec::new();
        loop {
            let answer = self
                .send(Request::get(url.clone()).expect(StatusCode::NOT_FOUND))
                .await?;
            if answer.status() == StatusCode::NOT_FOUND {
                return Err(self.site.no_chart(wanted));
            }
            let next = self.next_page(&first, &answer)?;
            let page = answer.body(PAGE_BYTES, "a list of tags")?.bytes().await?;
            let page = tags::parse(&page);
            all.extend(page.map_err(|error| self.site.invalid(format!("its list of tags cannot be read: {error}")))?);
            if all.len() > TAGS {
                return Err(self.site.limit(format!("{TAGS} tags")));
            }
            asked.push(url);
            match next {
                None => return Ok(all),
                Some(next) if asked.contains(&next) => {
                    return Err(self.site.invalid("its list of tags leads back to a page of its own"));
                }
                Some(_) if asked.len() == PAGES => return Err(self.site.limit(format!("{PAGES} pages of tags"))),
                Some(next) => url = next,
            }
        }
    }

    /// The URL of the page that follows, which is one of the same list.
    fn next_page(&self, first: &Url, answer: &Answer) -> Result<Option<Url>, FetchError> {
        let Some(link) = answer.headers().get(LINK).and_then(|link| link.to_str().ok()) else {
            return Ok(None);
        };
        let Some(target) = tags::next(link) else {
            return Ok(None);
        };
        let elsewhere = || self.site.invalid("its list of tags goes on elsewhere");
        let next = first.join(target).map_err(|_| elsewhere())?;
        let same = next.path() == first.path() && Origin::of(&next) == Origin::of(first);
        if same { Ok(Some(next)) } else { Err(elsewhere()) }
    }
}

fn accepting(request: Request) -> Request {
    let with = |request: Request, media_type| request.header(ACCEPT, HeaderValue::from_static(media_type));
    ACCEPTED.into_iter().fold(request, with)
}
