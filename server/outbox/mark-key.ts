/** Which attempt of which handler at which event: what a message may belong to. */
export interface MarkKey {
  readonly seq: number
  readonly handler: string
  readonly attempt: number
}

/** What tells one handler of one event from another, in memory. */
export const handlerKeyOf = ({seq, handler}: Pick<MarkKey, "seq" | "handler">): string => `${seq} ${handler}`
