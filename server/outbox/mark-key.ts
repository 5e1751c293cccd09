/** Identifies an attempt of a handler at an event, to which a message may belong. */
export interface MarkKey {
  readonly seq: number
  readonly handler: string
  readonly attempt: number
}

/** Returns a key for one handler of one event, in memory. */
export const handlerKeyOf = ({seq, handler}: Pick<MarkKey, "seq" | "handler">): string => `${seq} ${handler}`
