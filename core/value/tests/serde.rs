//! Values cross into `serde_json` and back.

use convoy_value::{Map, Number, Value};
use serde_json::json;

#[test]
fn a_value_becomes_the_same_json_and_comes_back() {
    let original = json!({"b": [1, -2, 2.5, null, true, "x"], "a": {"deep": {}}, "max": u64::MAX});
    let value: Value = serde_json::from_value(original.clone()).unwrap();
    assert_eq!(value.get("max"), Some(&Value::Number(Number::Uint(u64::MAX))));
    assert_eq!(value.at(&["a", "deep"]), Some(&Value::Object(Map::new())));
    assert_eq!(serde_json::to_value(&value).unwrap(), original);
}

#[test]
fn integral_floats_cross_as_integers_and_others_as_floats() {
    for (float, expect) in [
        (3.0, json!(3)),
        (-4.0, json!(-4)),
        (0.5, json!(0.5)),
        (1e20, json!(1e20)),
    ] {
        assert_eq!(serde_json::to_value(Value::from(float)).unwrap(), expect);
    }
    assert_eq!(serde_json::to_string(&Value::from(-0.0)).unwrap(), "-0.0");
}

#[test]
fn the_last_of_two_equal_keys_wins() {
    let map: Map = serde_json::from_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(map, [("a", 3), ("b", 2)].into_iter().collect());
}

#[test]
fn other_kinds_are_refused_where_a_map_or_number_is_asked_for() {
    assert!(serde_json::from_str::<Map>("[1]").is_err());
    assert!(serde_json::from_str::<Number>("\"1\"").is_err());
    assert_eq!(serde_json::from_str::<Number>("1").unwrap(), Number::Int(1));
}
