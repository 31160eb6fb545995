//! What the workshop shop sells: sixty products in three stores, each with its variants.

use super::Where;

/// One product. Its variants are all combinations of its options.
pub(super) struct Product {
    pub(super) sold_in: Where,
    pub(super) category: &'static str,
    pub(super) title: &'static str,
    pub(super) price_minor: i64,
    /// What the next larger value of the first option costs more.
    pub(super) step_minor: i64,
    pub(super) weight_g: i64,
    pub(super) options: &'static [(&'static str, &'static [&'static str])],
    pub(super) about: &'static str,
}

type Options = &'static [(&'static str, &'static [&'static str])];

const ONE: Options = &[];
const APPAREL: Options = &[("color", &["white", "navy"]), ("size", &["S", "M", "L"])];
const SIZES: Options = &[("size", &["S", "M", "L"])];
const SHOES: Options = &[("color", &["grey", "black"]), ("size", &["41", "42", "43"])];
const COLORS: Options = &[("color", &["black", "silver"])];
const LAYOUTS: Options = &[("layout", &["DE", "US"])];

const fn of(
    sold_in: Where,
    category: &'static str,
    title: &'static str,
    price_minor: i64,
    weight_g: i64,
    options: Options,
    about: &'static str,
) -> Product {
    Product { sold_in, category, title, price_minor, step_minor: 0, weight_g, options, about }
}

use Where::{De, Gb, Us};

pub(super) const PRODUCTS: [Product; 60] = [
    // Kitchen, Germany.
    of(
        De,
        "kitchen",
        "Mug",
        1_490,
        380,
        &[("color", &["blue", "green", "red"])],
        "Stoneware mug, 0.3 l, dishwasher safe.",
    ),
    of(
        De,
        "kitchen",
        "Espresso cup",
        990,
        160,
        &[("color", &["white", "black"])],
        "Thick-walled cup for a short coffee.",
    ),
    Product {
        step_minor: 1_000,
        ..of(
            De,
            "kitchen",
            "Cast-iron pan",
            3_990,
            2_600,
            &[("size", &["24 cm", "28 cm"])],
            "Seasoned pan for any hob and the oven.",
        )
    },
    of(De, "kitchen", "Chef's knife", 7_900, 240, ONE, "Forged blade, 20 cm, with a walnut handle."),
    of(
        De,
        "kitchen",
        "Cutting board",
        3_490,
        1_400,
        &[("wood", &["oak", "walnut"])],
        "End grain board with rubber feet.",
    ),
    Product {
        step_minor: 800,
        ..of(
            De,
            "kitchen",
            "Teapot",
            3_290,
            900,
            &[("volume", &["0.8 l", "1.2 l"])],
            "Porcelain teapot with a steel strainer.",
        )
    },
    of(
        De,
        "kitchen",
        "Linen tea towel",
        1_190,
        110,
        &[("pattern", &["plain", "striped"])],
        "Half linen, dries glasses without a trace.",
    ),
    Product {
        step_minor: 900,
        ..of(
            De,
            "kitchen",
            "Salad bowl",
            2_690,
            1_100,
            &[("size", &["small", "large"])],
            "Glazed bowl, made in one pull.",
        )
    },
    of(
        De,
        "kitchen",
        "Electric kettle",
        5_990,
        1_200,
        &[("color", &["white", "steel"])],
        "1.7 l, keeps a chosen temperature.",
    ),
    of(De, "kitchen", "Cast-iron stove", 79_900, 68_000, ONE, "Wood stove, 6 kW. Delivered as heavy goods."),
    // Fashion, Germany.
    of(De, "fashion", "T-shirt", 1_990, 180, APPAREL, "Organic cotton, 180 g."),
    of(De, "fashion", "Linen shirt", 5_990, 260, APPAREL, "Washed linen with a small collar."),
    of(De, "fashion", "Rain jacket", 11_900, 640, SIZES, "Three layers, taped seams."),
    of(De, "fashion", "Wool scarf", 3_990, 210, &[("color", &["grey", "rust"])], "Merino, woven in Saxony."),
    of(
        De,
        "fashion",
        "Denim jeans",
        8_990,
        720,
        &[("size", &["30", "32", "34"])],
        "Straight leg, rigid denim.",
    ),
    of(De, "fashion", "Trail shoes", 12_900, 780, SHOES, "Grip for wet forest floors."),
    of(De, "fashion", "Sneakers", 9_900, 820, SHOES, "Vegetable-tanned leather, natural rubber."),
    of(De, "fashion", "Leather belt", 4_490, 230, SIZES, "Full grain, solid brass buckle."),
    of(De, "fashion", "Beanie", 2_490, 90, &[("color", &["navy", "ochre"])], "Ribbed lambswool."),
    of(
        De,
        "fashion",
        "Wool socks",
        1_490,
        80,
        &[("size", &["39-42", "43-46"])],
        "Two pairs, reinforced heel.",
    ),
    // Electronics, Germany.
    of(De, "electronics", "Headphones", 18_900, 290, COLORS, "Over-ear, noise cancelling, 40 hours."),
    of(De, "electronics", "Wireless earbuds", 9_900, 60, COLORS, "In-ear, with a charging case."),
    of(De, "electronics", "Bluetooth speaker", 7_990, 560, COLORS, "Waterproof, plays for a day."),
    of(
        De,
        "electronics",
        "E-reader",
        13_900,
        190,
        &[("storage", &["16 GB", "32 GB"])],
        "7 inch paper-like screen.",
    ),
    of(
        De,
        "electronics",
        "Desk lamp",
        5_490,
        1_300,
        &[("color", &["white", "black"])],
        "Dimmable, with a weighted foot.",
    ),
    of(
        De,
        "electronics",
        "Power bank",
        3_990,
        220,
        &[("capacity", &["10 Ah", "20 Ah"])],
        "Charges a laptop over USB-C.",
    ),
    of(De, "electronics", "Smartwatch", 19_900, 50, COLORS, "Ten days on one charge."),
    of(De, "electronics", "Webcam", 6_990, 140, ONE, "1080p with a privacy shutter."),
    of(De, "electronics", "Keyboard", 8_490, 900, LAYOUTS, "Mechanical, hot-swappable."),
    of(De, "electronics", "Portable monitor", 18_490, 780, ONE, "15.6 inch, one cable."),
    // Great Britain.
    of(Gb, "kitchen", "Tea mug", 1_290, 380, &[("color", &["cream", "teal"])], "Stoneware mug, half a pint."),
    of(Gb, "kitchen", "Toast rack", 2_190, 310, ONE, "Polished steel, six slices."),
    of(
        Gb,
        "kitchen",
        "Pie dish",
        1_990,
        900,
        &[("size", &["round", "oval"])],
        "Enamel dish for a family pie.",
    ),
    of(Gb, "kitchen", "Bread knife", 3_490, 180, ONE, "Serrated, 25 cm."),
    of(
        Gb,
        "kitchen",
        "Butter dish",
        1_690,
        480,
        &[("color", &["white", "slate"])],
        "Stoneware with a beech lid.",
    ),
    of(Gb, "fashion", "Waxed jacket", 17_900, 1_200, SIZES, "Waxed cotton, cord collar."),
    of(Gb, "fashion", "Lambswool jumper", 6_900, 420, SIZES, "Knitted in the Borders."),
    of(
        Gb,
        "fashion",
        "Tweed cap",
        3_900,
        120,
        &[("pattern", &["herringbone", "check"])],
        "Harris wool, satin lining.",
    ),
    of(
        Gb,
        "fashion",
        "Wellington boots",
        8_500,
        1_900,
        &[("size", &["8", "9", "10"])],
        "Natural rubber, cotton lining.",
    ),
    of(Gb, "fashion", "Oxford shirt", 4_900, 250, APPAREL, "Button-down, heavy cotton."),
    of(Gb, "electronics", "DAB radio", 8_900, 900, COLORS, "Wakes you gently."),
    of(Gb, "electronics", "Reading light", 2_900, 130, ONE, "Clips on, charges over USB-C."),
    of(
        Gb,
        "electronics",
        "Noise machine",
        4_200,
        260,
        &[("color", &["white", "grey"])],
        "Twelve sounds and none of them a gull.",
    ),
    of(Gb, "electronics", "Wireless charger", 3_400, 150, COLORS, "15 W, non-slip."),
    of(Gb, "electronics", "Kitchen scale", 2_600, 480, ONE, "Grams and ounces, to 5 kg."),
    // United States.
    of(Us, "kitchen", "Diner mug", 1_600, 420, &[("color", &["white", "mint"])], "Heavy porcelain, 12 oz."),
    of(Us, "kitchen", "Skillet", 4_400, 2_300, &[("size", &["8 in", "10 in"])], "Cast iron, pre-seasoned."),
    of(Us, "kitchen", "Pour-over set", 5_200, 800, ONE, "Glass server and steel dripper."),
    of(Us, "kitchen", "Mixing bowls", 3_800, 1_500, ONE, "Nesting set of three."),
    of(
        Us,
        "kitchen",
        "Waffle iron",
        6_900,
        2_100,
        &[("color", &["black", "red"])],
        "Deep pockets, even browning.",
    ),
    of(Us, "fashion", "Flannel shirt", 5_400, 320, SIZES, "Brushed cotton, two pockets."),
    of(Us, "fashion", "Chinos", 6_200, 480, &[("size", &["30", "32", "34"])], "Stretch twill."),
    of(
        Us,
        "fashion",
        "Work boots",
        16_500,
        1_600,
        &[("size", &["9", "10", "11"])],
        "Resoleable, oiled leather.",
    ),
    of(
        Us,
        "fashion",
        "Baseball cap",
        2_400,
        90,
        &[("color", &["navy", "khaki"])],
        "Washed cotton, brass clasp.",
    ),
    of(Us, "fashion", "Hoodie", 5_900, 560, APPAREL, "Loopback cotton, lined hood."),
    of(Us, "electronics", "Turntable", 19_500, 4_200, COLORS, "Belt drive with a built-in preamp."),
    of(Us, "electronics", "Action camera", 17_900, 130, ONE, "4K, waterproof without a case."),
    of(
        Us,
        "electronics",
        "Portable fan",
        2_900,
        240,
        &[("color", &["white", "blue"])],
        "Eight hours on low.",
    ),
    of(Us, "electronics", "Smart plug", 1_900, 90, &[("pack", &["two", "four"])], "Measures what it powers."),
    of(Us, "electronics", "Trail camera", 9_900, 340, ONE, "Infrared, sends photos home."),
];

/// Not on sale yet.
pub(super) const PLANNED: Product =
    of(Gb, "kitchen", "Colander", 2_800, 620, &[("color", &["cream", "sage"])], "Enamelled steel on a foot.");

/// Not on sale any more.
pub(super) const RETIRED: Product =
    of(Gb, "electronics", "Rotary telephone", 7_900, 1_800, ONE, "Rings with a real bell.");
