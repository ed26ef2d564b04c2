// How the server's heap (jemalloc) behaves; read by it before main() begins.
//
// What was freed goes back to the kernel after ten seconds, so that what large answers took serves the next ones: by
// default the system's own heap gives it back with each, and the kernel then clears every page anew, a third of the
// speed of a Scan. Few arenas, since few threads allocate much: the loops and the committer.
extern "C" {
extern const char* malloc_conf;  // the name and the type are jemalloc's
const char* malloc_conf = "narenas:4,dirty_decay_ms:10000,muzzy_decay_ms:0";
}
