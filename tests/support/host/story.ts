/** Marks one of the ten end-to-end tests that tell the README's story: `bun run test:quick` runs them, and no other. */
export const story = {tags: ["story"]}
