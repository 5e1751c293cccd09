/**
 * Which earlier events a handler waits for: those of its conversation, those of its user in that conversation, or none.
 * Without a user, `user` is `channel`.
 */
export type HandlerOrder = "channel" | "user" | "none"

/** The options of `on`, `command` and `hears`; timers have some of them. */
export interface HandlerDefinition {
  /** How many times svc retries a handler that throws, at most 10, with growing pauses. What waits for it, waits. */
  readonly retries?: number
  /**
   * Which earlier events it waits for, as far as their handlers have the same order. It overrides `inbox.order` of the
   * configuration, which applies when left out; for a timer that is `channel`.
   */
  readonly order?: HandlerOrder
  /**
   * The age of an event up to which the handler runs, such as `2m`, or `never` for any age. It overrides `inbox.maxAge`
   * of the configuration, which applies when left out. Too old events end as `expired`.
   */
  readonly maxAge?: string
}

/** A handler's name: letters, digits, _ and -, starting with a letter. */
export interface Named {
  /**
   * The name by which waiting events find their handler after a restart or a reload, whatever its position. Without a
   * name, they find it by its position among the unnamed handlers of its kind. If you then add another handler before
   * it, that one gets its events.
   */
  readonly name?: string
}

/**
 * Which events a handler wants, by an id or a list of ids; an event must match each key. The Host compares when the
 * event arrives: a handler that does not want it gets no mark, and a later filter changes no waiting event.
 */
export interface EventFilter {
  readonly channel?: string | readonly string[]
  readonly user?: string | readonly string[]
  /** The name of a platform, such as `telegram`. */
  readonly platform?: string | readonly string[]
  /** The name of an endpoint of the configuration. */
  readonly endpoint?: string | readonly string[]
}

/** The options of `on`. `data` is the schema of the payload: of `internal`, or of a type such as `forge/push`. */
export interface EventHandlerDefinition<D = undefined> extends HandlerDefinition, Named, EventFilter {
  /** The sender's own types of an event with a payload, such as `issues` of a webhook of GitHub; all when left out. */
  readonly type?: string | readonly string[]
  readonly data?: D
}
