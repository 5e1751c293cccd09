/** At most so many starts in so many milliseconds: what the daemon and the templates for systemd allow, before they give up. */
export const startLimit = {starts: 5, within: 120_000} as const

/**
 * How long a start waits in its own process for what may pass, in milliseconds. Five such starts take longer than the limit's
 * interval, so no owner gives up on them.
 */
export const startPatience = 25_000
