//! What the engine does in worlds from a scenario's text, beside closed forms: callers that steer, look and change, and what is refused.

mod cards;
mod changes;
mod climb;
mod credit;
mod ends;
mod events;
mod facts;
mod fits;
mod instants;
mod net;
mod outside;
mod places;
mod pulled;
mod radio;
mod refusals;
mod replayed;
mod routes;
mod small_queue;
mod steer;
mod still;
mod tables;

mod told;
mod warnings;
mod ways;
