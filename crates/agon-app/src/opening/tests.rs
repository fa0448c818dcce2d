//! A protocol and a request for tests of what opens a debate.

use agon_core::Manifest;

use super::*;

/// A manifest with a row of two to four members and a judge, 1 to 10 rounds, and what the protocol called
/// `name` says of its options.
pub fn manifest(name: &str) -> Manifest {
    let toml = format!(
        "name = \"{name}\"\nsummary = \"x\"\nrules = 1\nmotion = \"text\"\nfit = \"whole\"\n\
         rounds = {{ default = 8, min = 1, max = 10 }}\n\
         [[seat]]\nname = \"member\"\nrole = \"debater\"\nabout = \"x\"\n\
         members = {{ min = 2, max = 4, default = 3 }}\n\
         [[seat]]\nname = \"judge\"\nrole = \"judge\"\nabout = \"x\"\n\
         [prompt.x]\ntokens_max = 1\ntemperature = 0.0\n"
    );
    let mut manifest = agon_protocols::common::options::manifest(&toml).unwrap();
    if let Some(protocol) = agon_protocols::find(name) {
        let Manifest { options, approval, member_details, opens_sources, rounds, .. } =
            protocol.manifest().clone();
        manifest.rounds.fewest = rounds.fewest;
        manifest.rounds.clamped = rounds.clamped;
        manifest = Manifest { options, approval, member_details, opens_sources, ..manifest };
    }
    manifest
}

/// A request that names a protocol and a motion.
pub fn request(protocol: &str) -> OpeningRequest {
    let motion = Some("This house would.".to_owned());
    OpeningRequest { protocol: protocol.to_owned(), motion, ..OpeningRequest::default() }
}

/// `request`, read as far as a test needs it.
pub fn requested(request: &OpeningRequest) -> Requested<'_> {
    Requested {
        request,
        protocol: agon_protocols::find(&request.protocol).unwrap(),
        declared: None,
        id: id(None).unwrap(),
        seed: None,
        intake: intake::Intake::default(),
        limits: agon_core::Limits::default(),
        material: None,
    }
}
