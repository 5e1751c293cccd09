/** How a Host runs. The mode also selects the `.env.<mode>` file. */
export const modes = ["development", "production", "test"] as const
export type Mode = (typeof modes)[number]
