/** At most so many starts in so many milliseconds: what the daemon and the templates for systemd allow, before they give up. */
export const startLimit = {starts: 5, within: 120_000} as const
