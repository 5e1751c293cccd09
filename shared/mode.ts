/** How a Host runs. The mode also names the `.env.<mode>` file that is read. */
export const modes = ["development", "production", "test"] as const
export type Mode = (typeof modes)[number]
