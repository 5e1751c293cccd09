/** The limits for the plan of the program. An issue that needs more raises a limit in a separate commit, with the reason. */
export const limits = {
  rooms: 32,
  arrows: 240,
  circles: 0,
  /** The most files in a folder. About ten are easy to read. */
  files: 20,
} as const
