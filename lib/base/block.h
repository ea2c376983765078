/* Sizes of the blocks that files are read in. Under a fuzzer they are small: its short inputs cross their borders, and
 * it does not spend its time on clearing what they never fill. */
#ifndef BASE_BLOCK_H
#define BASE_BLOCK_H

#ifdef DSGD_FUZZER
#define BLOCK_SIZE(usual, small) (small)
#else
#define BLOCK_SIZE(usual, small) (usual)
#endif

#endif
