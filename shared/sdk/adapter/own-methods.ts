/** Methods of a platform beside those of Satori. `Sender.call` gets one as `<name>/<method>`. */
export interface OwnMethods {
  /** The platform, in lower case: `telegram` in `telegram/pinChatMessage`. */
  readonly name: string
  /** Methods that only return something. `plugin.ask` calls them. */
  readonly reads?: readonly string[] | undefined
  /** Methods that may be called twice, such as those that pin or ban: the Host repeats a call that its end cut off. */
  readonly sets?: readonly string[] | undefined
  /**
   * Methods that make something new at each call. If the Host ends during a queued call, or the platform does not
   * answer, the Host does not make it again: the call is `unknown`.
   */
  readonly acts?: readonly string[] | undefined
}

export const methodKinds = ["reads", "sets", "acts"] as const

/** Returns whether this is a method of a platform, `<platform>/<method>`, and not of Satori. */
export const isOwnMethod = (method: string): boolean => method.includes("/")
