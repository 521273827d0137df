//! URLs that are read, and those that are refused.

use super::*;

fn at(place: Place, prefix: &str) -> Location {
    Location {
        place,
        prefix: prefix.into(),
        secret: None,
    }
}

fn dir(path: &str, create: bool, prefix: &str) -> Location {
    let dir = path.into();
    at(Place::Directory { dir, create }, prefix)
}

#[test]
fn urls_name_a_place() {
    assert_eq!(parse("").unwrap(), None);
    for (url, expected) in [
        ("mem://", at(Place::Memory, "")),
        ("mem://?prefix=a/b-", at(Place::Memory, "a/b-")),
        ("file:///var/lib/convoy", dir("/var/lib/convoy", false, "")),
        ("file:///var/lib/convoy/", dir("/var/lib/convoy/", false, "")),
        ("FILE:///a%20b?create_dir=true", dir("/a b", true, "")),
        (
            "file:///a?create_dir=1&prefix=team%2Fone%20",
            dir("/a", true, "team/one "),
        ),
        ("file:///a?create_dir=false&metadata=skip", dir("/a", false, "")),
    ] {
        assert_eq!(parse(url).unwrap(), Some(expected), "{url}");
    }
}

fn s3(url: &str) -> S3 {
    let Some(Place::S3(place)) = parse(url).ok().flatten().map(|location| location.place) else {
        panic!("{url} is no bucket");
    };
    place
}

#[test]
fn a_bucket_of_s3_takes_the_parameters_of_go() {
    let plain = S3 {
        bucket: "bucket".into(),
        region: None,
        endpoint: None,
        path_style: false,
        anonymous: false,
        encryption: None,
    };
    assert_eq!(s3("s3://bucket"), plain);
    assert_eq!(
        s3("s3://bucket?region=eu-1&endpoint=minio.example:9000&disableSSL=true&s3ForcePathStyle=true&profile=p"),
        S3 {
            region: Some("eu-1".into()),
            endpoint: Some("http://minio.example:9000".parse().unwrap()),
            path_style: true,
            ..plain.clone()
        }
    );
    for (query, path_style, endpoint) in [
        ("endpoint=https://s3.example", false, "https://s3.example/"),
        ("endpoint=s3.example", false, "https://s3.example/"),
        (
            "endpoint=https://s3.example&disable_https=true",
            false,
            "http://s3.example/",
        ),
        (
            "endpoint=https://s3.example&use_path_style=true",
            true,
            "https://s3.example/",
        ),
        (
            "endpoint=https://s3.example&hostname_immutable=true",
            true,
            "https://s3.example/",
        ),
        ("endpoint=http://127.0.0.1:8333", true, "http://127.0.0.1:8333/"),
        ("endpoint=http://localhost:8333", true, "http://localhost:8333/"),
        ("endpoint=http://[::1]:8333", true, "http://[::1]:8333/"),
    ] {
        let place = s3(&format!("s3://bucket?{query}"));
        let said = place.endpoint.as_ref().map(url::Url::as_str);
        assert_eq!((place.path_style, said), (path_style, Some(endpoint)), "{query}");
    }
    assert!(s3("s3://a.b.c").path_style);
    assert_eq!(
        s3("s3://bucket?ssetype=AES256").encryption,
        Some(("AES256".into(), None))
    );
    let key = Some(("aws:kms".into(), Some("k".into())));
    assert_eq!(s3("s3://bucket?ssetype=aws:kms&kmskeyid=k").encryption, key);
    assert_eq!(
        parse("s3://bucket?secret=keys&prefix=p/")
            .unwrap()
            .unwrap()
            .secret
            .as_deref(),
        Some("keys")
    );
}

#[test]
fn a_container_of_azure_takes_the_parameters_of_go() {
    let azure = |url: &str| {
        let Some(Place::Azure(place)) = parse(url).ok().flatten().map(|location| location.place) else {
            panic!("{url} is no container");
        };
        place
    };
    let plain = Azure {
        container: "renders".into(),
        account: None,
        domain: None,
        plain_http: false,
        emulator: false,
        cdn: false,
    };
    assert_eq!(azure("azblob://renders"), plain);
    assert_eq!(
        azure("azblob://renders?storage_account=team1&domain=blob.core.usgovcloudapi.net&cdn=true"),
        Azure {
            account: Some("team1".into()),
            domain: Some("blob.core.usgovcloudapi.net".into()),
            cdn: true,
            ..plain.clone()
        }
    );
    for (query, domain) in [
        ("localemu=true", None),
        ("domain=localhost:10001", Some("localhost:10001")),
    ] {
        let expected = Azure {
            domain: domain.map(Into::into),
            plain_http: true,
            emulator: true,
            ..plain.clone()
        };
        assert_eq!(azure(&format!("azblob://renders?{query}")), expected);
    }
    assert!(!azure("azblob://renders?localemu=true&protocol=https").plain_http);
}

#[test]
fn other_urls_say_what_is_wrong() {
    for (url, expected) in [
        ("/var/lib/convoy", "the URL of the render store cannot be parsed"),
        ("ftp://host/dir", "`ftp` is no scheme of a render store"),
        ("file:var/lib", "without a host, and an absolute path"),
        ("file://host/var/lib", "without a host, and an absolute path"),
        (
            "file:///a?creat_dir=true",
            "`creat_dir` is no parameter of a `file` render store",
        ),
        ("file:///a?create_dir=yes", "expected true or false"),
        ("file:///a?create_dir=true&create_dir=false", "it stands twice"),
        ("file:///a?prefix=/x", "must be relative"),
        ("file:///a?prefix=a/../", "must be relative"),
        ("file:///a#b", "must not have a fragment"),
        ("mem://host", "without host and path"),
        ("mem:///path", "without host and path"),
        (
            "mem://?create_dir=true",
            "`create_dir` is no parameter of a `mem` render store",
        ),
        (
            "s3://bucket?regoin=eu-1",
            "`regoin` is no parameter of a `s3` render store",
        ),
        ("s3://", "it names no bucket"),
        ("s3://bu", "3 to 222 letters"),
        ("s3://bucket/path", "`prefix=` puts a text before every key"),
        ("s3://bucket:80", "must not have a user, a password or a port"),
        (
            "s3://bucket?disableSSL=true",
            "`disableSSL` of the render store is invalid: it needs an `endpoint`",
        ),
        (
            "s3://bucket?endpoint=ftp://x",
            "`endpoint` of the render store is invalid",
        ),
        (
            "s3://bucket?endpoint=https://u:hunter2@x",
            "`endpoint` of the render store is invalid",
        ),
        ("s3://bucket?endpoint=", "`endpoint` of the render store is invalid"),
        ("s3://bucket?region=", "`region` of the render store is invalid"),
        (
            "s3://bucket?s3ForcePathStyle=maybe",
            "`s3ForcePathStyle` of the render store is invalid: expected true or false",
        ),
        ("s3://bucket?ssetype=rot13", "`ssetype` of the render store is invalid"),
        (
            "s3://bucket?kmskeyid=k",
            "`kmskeyid` of the render store is invalid: it needs `ssetype",
        ),
        (
            "s3://bucket?secret=A_B",
            "`secret` of the render store is invalid: expected the name of a Secret",
        ),
        ("gs://", "it names no bucket"),
        (
            "gs://bucket?region=x",
            "`region` is no parameter of a `gs` render store",
        ),
        (
            "azblob://renders?storage_account=no",
            "`storage_account` of the render store is invalid",
        ),
        ("azblob://renders?domain=a/b", "`domain` of the render store is invalid"),
        (
            "azblob://renders?protocol=ftp",
            "`protocol` of the render store is invalid",
        ),
    ] {
        let message = parse(url).unwrap_err().to_string();
        assert!(message.contains(expected), "{url}: {message}");
    }
}

#[test]
fn long_urls_and_values_are_refused_by_the_name_of_the_limit() {
    let value = parse(&format!("s3://bucket?region={}", "r".repeat(513)))
        .unwrap_err()
        .to_string();
    assert!(value.contains("`region`") && value.contains("512 bytes"), "{value}");
    let whole = parse(&format!("s3://bucket?prefix={}", "p".repeat(5_000)))
        .unwrap_err()
        .to_string();
    assert!(whole.contains("`bytes of a URL` of 4096"), "{whole}");
}

#[test]
fn errors_keep_credentials_to_themselves() {
    for url in [
        "s3://user:hunter2@bucket",
        "file://user:hunter2@host/a",
        "mem://user:hunter2@h",
        "x://u:hunter2@h",
    ] {
        let error = parse(url).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 4_000, failure_persistence: None, ..Default::default() })]

    /// No text panics, and what is read keeps the rules of names, keys and lengths.
    #[test]
    fn any_url_is_read_or_refused(
        start in "(file|mem|s3|gs|azblob|S3|x)?(:|:/|://|:///)?",
        place in "([a-zA-Z0-9._%@:/\\\\-]|\\PC){0,12}",
        query in "(\\?(prefix|endpoint|region|secret|domain|storage_account|disableSSL|create_dir)=([a-z0-9:/.%&=@-]|\\PC){0,12}){0,2}(&(prefix|endpoint|localemu|anonymous)=(true|[a-z/.%]{0,6})){0,2}",
    ) {
        let url = format!("{start}{place}{query}");
        if let Ok(Some(location)) = parse(&url) {
            let key = format!("{}k", location.prefix);
            proptest::prop_assert!(crate::key::broken_rule(&key).is_none(), "{}", key);
            match location.place {
                Place::Memory => {}
                Place::Directory { dir, .. } => proptest::prop_assert!(dir.is_absolute()),
                Place::S3(S3 { bucket: name, .. }) | Place::Google(Google { bucket: name, .. }) | Place::Azure(Azure { container: name, .. }) => {
                    proptest::prop_assert!((3..=222).contains(&name.len()) && !name.contains(['/', '@', '%']), "{}", name);
                }
            }
        }
    }
}
