//! Lists in which nothing stands twice.

/// The different ones of `items`, in their order.
pub fn collect_different<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut different = Vec::new();
    for item in items {
        if !different.contains(&item) {
            different.push(item);
        }
    }
    different
}
