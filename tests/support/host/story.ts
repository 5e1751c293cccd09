/** Marks the ten end-to-end tests of the README's story. `bun run test:quick` runs only them. */
export const story = {tags: ["story"]}
