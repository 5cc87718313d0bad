//! How a part from outside this crate joins a closed list.

/// Makes the trait that a part from outside has to meet: that of its kind, and `Clone`, `Debug`, `Send`
/// and `Sync`, because a world is forked, printed and moved to other threads.
macro_rules! custom {
    ($(#[$doc:meta])* $Custom:ident: $Kind:ident) => {
        $(#[$doc])*
        pub trait $Custom: $Kind + std::any::Any + std::fmt::Debug + Send + Sync {
            /// A copy in its present state.
            fn boxed(&self) -> Box<dyn $Custom>;
        }

        impl<T: $Kind + Clone + std::fmt::Debug + Send + Sync + 'static> $Custom for T {
            fn boxed(&self) -> Box<dyn $Custom> {
                Box::new(self.clone())
            }
        }

        impl Clone for Box<dyn $Custom> {
            fn clone(&self) -> Self {
                (**self).boxed()
            }
        }
    };
}

pub(crate) use custom;
