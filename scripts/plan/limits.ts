/** What the plan of the program may grow to. An issue that needs more raises a limit in a commit of its own, with the reason. */
export const limits = {
  rooms: 32,
  arrows: 240,
  circles: 0,
  /** Files of one folder. About ten read well. */
  files: 20,
} as const
