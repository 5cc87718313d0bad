//! The switched LAN: worlds built by hand, held against closed forms and against what each
//! mechanism is for.

mod net;
mod smoke;
