//! One list makes the parts of a kind: the enum, `From` and the dispatch of the kind's trait.

/// The enum of all parts of a kind, from its trait's methods and the list of its parts (`module::Type`): a variant for each part,
/// `From` for each, and the trait, which calls the variant's method. `in Box` behind the trait boxes all parts, behind a part this
/// one. A variant that is no part follows `or`. With `static`, the table of all rows `PART` follows, too, and `with`
/// that of their `NEEDS`, followed by the needs of parts that a host makes.
#[macro_export]
macro_rules! parts {
    (
        $(#[$doc:meta])* pub enum $Any:ident: $Trait:ident in Box $(or $Other:ident($Inside:ty))? { $($methods:tt)* }
        $($module:ident::$Name:ident),* $(,)?
    ) => {
        $crate::parts! {
            $(#[$doc])* pub enum $Any: $Trait $(or $Other($Inside))? { $($methods)* }
            $($module::$Name in Box),*
        }
    };
    (
        $(#[$doc:meta])* pub enum $Any:ident: $Trait:ident $(or $Other:ident($Inside:ty))? { $($methods:tt)* }
        $($(#[$row:meta])* pub static $TABLE:ident $(with $NEEDS:ident: $Needs:ty, then $($hosted:ident),+)?;)?
        $($module:ident::$Name:ident $(in $Box:ident)?),* $(,)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub enum $Any {
            $(#[doc = concat!("See `", stringify!($module), "`.")]
            $Name($crate::parts!(@type $module $Name $($Box)?)),)*
            $(/// From outside the tables.
            $Other($Inside),)?
        }

        $(impl From<$module::$Name> for $Any {
            fn from(part: $module::$Name) -> $Any {
                $Any::$Name(part.into())
            }
        })*

        impl $Trait for $Any {
            $crate::parts! { @dispatch $Any [$($Name)* $($Other)?] $($methods)* }
        }

        $crate::parts! { @table $Any [$($module)*] $($(#[$row])* $TABLE)? }
        $crate::parts! { @needs [$($module)*] $($($NEEDS: $Needs, $($hosted)+)?)? }
    };
    (@type $module:ident $Name:ident) => { $module::$Name };
    (@type $module:ident $Name:ident Box) => { Box<$module::$Name> };
    (@table $Any:ident $modules:tt) => {};
    (@table $Any:ident [$($module:ident)*] $(#[$row:meta])* $TABLE:ident) => {
        $(#[$row])*
        pub static $TABLE: &[$crate::part::Part<$crate::part::Build<$Any>>] = &[
            $($module::PART.with_build(|args| ($module::PART.build)(args).map($Any::from))),*
        ];
    };
    (@needs $modules:tt) => {};
    (@needs [$($module:ident)*] $NEEDS:ident: $Needs:ty, $($hosted:ident)+) => {
        /// The needs of each part of the table, and then of those that a host makes.
        pub static $NEEDS: &[$Needs] = &[$($module::NEEDS,)* $($hosted::NEEDS),+];
    };
    (@dispatch $Any:ident $names:tt $($(#[$attribute:meta])* fn $method:ident $taken:tt $(-> $result:ty)?;)*) => {
        $($crate::parts! { @method $Any $names [$(#[$attribute])*] $method $taken [$($result)?] })*
    };
    (@method $Any:ident $names:tt $attributes:tt $method:ident (&self $(, $argument:ident: $type:ty)*) $result:tt) => {
        $crate::parts! { @reads $Any $names $attributes $method [$(, $argument: $type)*] ($($argument),*) $result }
    };
    (@method $Any:ident $names:tt $attributes:tt $method:ident (&mut self $(, $argument:ident: $type:ty)*) $result:tt) => {
        $crate::parts! { @changes $Any $names $attributes $method [$(, $argument: $type)*] ($($argument),*) $result }
    };
    (@reads $Any:ident [$($name:ident)*] [$($attributes:tt)*] $method:ident [$($taken:tt)*] $given:tt [$($result:ty)?]) => {
        $($attributes)*
        fn $method(&self $($taken)*) $(-> $result)? {
            match self {
                $($Any::$name(part) => part.$method $given,)*
            }
        }
    };
    (@changes $Any:ident [$($name:ident)*] [$($attributes:tt)*] $method:ident [$($taken:tt)*] $given:tt [$($result:ty)?]) => {
        $($attributes)*
        fn $method(&mut self $($taken)*) $(-> $result)? {
            match self {
                $($Any::$name(part) => part.$method $given,)*
            }
        }
    };
}
