// Package trail closes the audit log in blocks that nobody can change unseen: the lines of a
// block are the leaves of a Merkle tree, and the blocks those of another (RFC 6962 section 2),
// whose head is signed as a checkpoint (C2SP tlog-checkpoint). It computes, and reads what it is
// given: package upkeep seals and verifies.
//
// Blocks are closed after the lines are written, so that writers wait for nobody. A line holds
// keyed digests in place of the person and the network: when a person is deleted and a pseudonym
// replaces both, the digests are kept, and the block still verifies. When the lines of a block
// are old enough to be removed, its record stays.
//
// All keys come from the stable key of the vault: neither a new secret of the provider nor a new data
// key changes any.
package trail
