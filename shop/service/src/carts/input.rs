use serde::{Deserialize, Serialize};
use shop_domain::address::Address;
use shop_domain::ids::{AddressId, CustomerId, ShippingMethodId, StoreId, VariantId};

/// A new cart.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateCart)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// The store to buy in; the customer's when absent.
    pub store_id: Option<StoreId>,
    /// For whom. Absent: for yourself when you are a shopper, for a guest when you are staff.
    pub customer_id: Option<CustomerId>,
}

/// Units to be added.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AddCartItem)]
#[serde(deny_unknown_fields)]
pub struct AddItem {
    pub variant_id: VariantId,
    /// Units to add to those that are in the cart already.
    #[schema(example = 2, minimum = 1, maximum = 999)]
    pub quantity: i64,
}

/// A new quantity of a line.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = UpdateCartItem)]
#[serde(deny_unknown_fields)]
pub struct UpdateItem {
    /// All units of the line from now on. `remove_cart_item` drops the line.
    #[schema(example = 3, minimum = 1, maximum = 999)]
    pub quantity: i64,
}

/// A coupon for the cart, in place of the one it may have.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ApplyCartCoupon)]
#[serde(deny_unknown_fields)]
pub struct ApplyCoupon {
    /// The code, in any case; null takes the coupon off.
    #[schema(example = "SAVE10", max_length = 64, required)]
    #[serde(deserialize_with = "Option::deserialize")]
    pub code: Option<String>,
}

/// Where the cart will go. Give one of the two.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SetCartShippingAddress)]
#[serde(deny_unknown_fields)]
pub struct SetAddress {
    /// A saved address of the customer.
    pub address_id: Option<AddressId>,
    /// A whole address, which is not saved.
    pub address: Option<Address>,
}

/// How the cart will go.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = SelectCartShippingOption)]
#[serde(deny_unknown_fields)]
pub struct SelectShipping {
    /// One that `list_cart_shipping_options` offers.
    pub shipping_method_id: ShippingMethodId,
}

/// A gift card for the cart, in place of the one it may have.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ApplyCartGiftCard)]
#[serde(deny_unknown_fields)]
pub struct ApplyGiftCard {
    /// The code on the card; null takes the card off.
    #[schema(example = "GIFT-7Q4K-2M9X-T3WB", max_length = 64, required)]
    #[serde(deserialize_with = "Option::deserialize")]
    pub code: Option<String>,
}

/// Store credit for the cart.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ApplyCartStoreCredit)]
#[serde(deny_unknown_fields)]
pub struct ApplyStoreCredit {
    /// How much of it to use at most, in minor units; 0 uses none.
    #[schema(example = 1500, minimum = 0)]
    pub amount_minor: i64,
}

/// Turns a cart into an order.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = PlaceOrderFromCart)]
#[serde(deny_unknown_fields)]
pub struct PlaceOrder {
    /// Where news of the order goes; the customer's own when absent. A guest has to give one.
    #[schema(example = "ada@example.com", max_length = 254)]
    pub contact_email: Option<String>,
    /// The total that was agreed to, in minor units: another one is refused.
    #[schema(example = 5319, minimum = 0)]
    pub agreed_total_minor: Option<i64>,
}
