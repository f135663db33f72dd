//! What is known of programs, endpoints and images: tables in `rules/knowledge/`, read when a rule first asks. Data, not
//! code; a new row needs no new line here.

mod clients;
mod endpoints;
mod images;
mod minimal;
mod pages;
mod roles;
mod table;

pub use clients::clients;
pub use endpoints::{Endpoint, EndpointKind, endpoint};
pub use images::{Family, Image, image, name as image_name};
pub use minimal::{MinimalImage, minimal_image};
pub use pages::{Answer, WebPage, web_pages};
pub use roles::{Role, leader_path, leader_word, readiness};
pub use table::RowError;
