/** At most `starts` starts within `within` milliseconds. The daemon and the systemd templates then give up. */
export const startLimit = {starts: 5, within: 120_000} as const

/**
 * How long a start waits in its own process for a passing problem, in milliseconds. Five such starts take longer than
 * the limit's interval, so no supervisor gives up on them.
 */
export const startPatience = 25_000
