//! What the engine does in worlds from a scenario's text, beside closed forms: callers that steer, look and change, and what is refused.

mod at_once;
mod cards;
mod changes;
mod climb;
mod credit;
mod drawn_again;
mod ends;
mod events;
mod facts;
mod fits;
mod instants;
mod net;
mod other_queues;
mod outside;
mod over_seconds;
mod places;
mod pulled;
mod radio;
mod radio_notices;
mod refusals;
mod replayed;
mod routes;
mod small_queue;
mod standing_gates;
mod steer;
mod still;
mod tables;

mod told;
mod told_back;
mod unfused;
mod warnings;
mod ways;
