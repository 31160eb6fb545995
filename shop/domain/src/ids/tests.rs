use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn order() -> OrderId {
    format!("ord_{EXAMPLE}").parse().unwrap()
}

#[test]
fn prefixes_are_unique() {
    let prefixes: HashSet<&str> = KINDS.iter().map(|kind| kind.prefix).collect();
    assert_eq!(prefixes.len(), KINDS.len());
}

#[test]
fn an_id_of_another_kind_is_named() {
    let error = format!("rfd_{EXAMPLE}").parse::<OrderId>().unwrap_err();
    assert_eq!(error.to_string(), "expected an id of kind order (ord_…), got one of kind refund (rfd_…)");
}

#[test]
fn only_the_canonical_text_is_an_id() {
    let upper = EXAMPLE.to_uppercase();
    for text in
        ["", "ord", "ord_", "1042", "xyz_01jz8q4w7c5v6n3m2k1h0g9f8e", "ord_8zzzzzzzzzzzzzzzzzzzzzzzzz"]
    {
        let error = text.parse::<OrderId>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected an id of kind order: ord_ and 26 lower-case characters",
            "{text}"
        );
    }
    assert!(format!("ord_{upper}").parse::<OrderId>().is_err());
    assert!(format!("ord_{EXAMPLE}é").parse::<OrderId>().is_err());
}

#[test]
fn json_column_and_schema_speak_of_the_same_text() {
    let text = format!("ord_{EXAMPLE}");
    assert_eq!(serde_json::to_value(order()).unwrap(), text.as_str());
    assert_eq!(sea_orm::Value::from(order()), sea_orm::Value::from(text.as_str()));
    assert_eq!(
        <OrderId as sea_orm::sea_query::ValueType>::column_type(),
        sea_orm::sea_query::ColumnType::Text
    );
    let schema = serde_json::to_value(<OrderId as utoipa::PartialSchema>::schema()).unwrap();
    assert_eq!(schema["type"], "string");
    assert_eq!(schema["pattern"], "^ord_[0-7][0-9a-hjkmnp-tv-z]{25}$");
    assert_eq!(schema["examples"][0], text.as_str());
}

#[test]
fn an_id_documents_a_path_parameter() {
    use utoipa::IntoParams;

    #[derive(IntoParams)]
    #[into_params(parameter_in = Path)]
    #[expect(dead_code, reason = "only its documentation is looked at")]
    struct OrderPath {
        order_id: OrderId,
    }

    let parameters = serde_json::to_value(OrderPath::into_params(|| None)).unwrap();
    assert_eq!((&parameters[0]["name"], &parameters[0]["in"]), (&"order_id".into(), &"path".into()));
    assert_eq!(parameters[0]["required"], true);
    assert_eq!(parameters[0]["schema"]["$ref"], "#/components/schemas/OrderId");
    assert!(schemas().iter().any(|(name, _)| *name == "OrderId"));
}

#[expect(clippy::disallowed_methods, reason = "made by the derive")]
/// A table with such a key: compiles only while ids may be primary keys and nullable columns.
mod row {
    use sea_orm::entity::prelude::*;

    use super::{CustomerId, OrderId};
    use crate::status::OrderStatus;

    #[sea_orm::model]
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "orders")]
    pub(super) struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub(super) id: OrderId,
        pub(super) customer_id: Option<CustomerId>,
        pub(super) status: OrderStatus,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

#[test]
fn an_id_can_be_a_primary_key() {
    use sea_orm::{EntityTrait, QueryTrait};
    let sql = row::Entity::find_by_id(order()).build(sea_orm::DbBackend::Sqlite).to_string();
    assert!(sql.ends_with(&format!(r#"WHERE "orders"."id" = '{}'"#, order())), "{sql}");
}

proptest! {
    #[test]
    fn text_round_trips_and_sorts_like_the_id(a: u128, b: u128) {
        let (a, b) = (OrderId::new(Ulid(a)), OrderId::new(Ulid(b)));
        prop_assert_eq!(a.to_string().parse(), Ok(a));
        prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
    }
}
