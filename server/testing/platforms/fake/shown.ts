/** A poll of the bot. */
export interface Poll {
  readonly question: string
  readonly options: readonly string[]
  /** Whether a person may choose several options. */
  readonly isMultiple: boolean
  /** The numbers of the chosen options, from 0, by the id of the person. */
  readonly votes: Map<string, readonly number[]>
  isClosed: boolean
}

export const makePoll = (question: unknown, options: readonly unknown[], isMultiple: unknown): Poll => ({
  question: String(question),
  options: options.map(String),
  isMultiple: isMultiple === true,
  votes: new Map(),
  isClosed: false,
})

/** Returns the ids of those who chose an option. */
export const votersOf = ({votes}: Poll, option: number): readonly string[] =>
  [...votes].flatMap(([user, chosen]) => (chosen.includes(option) ? [user] : []))

/** Replaces a person's vote. Returns the numbers of the options. Throws if the platform would not show them. */
export const votedIn = (poll: Poll | undefined, user: string, labels: readonly string[]): readonly number[] => {
  if (poll === undefined || poll.isClosed) throw new Error("the message is not one of the bot with an open poll")
  const chosen = labels.map(label => poll.options.indexOf(label))
  if (chosen.includes(-1) || (chosen.length > 1 && !poll.isMultiple))
    throw new Error(`a person chooses ${poll.isMultiple ? "some" : "one"} of ${poll.options.join(", ")}`)
  poll.votes.set(user, chosen)
  return chosen
}

/** The pinned messages of each channel. */
export class Pins {
  readonly #ids = new Map<string, readonly string[]>()

  /** Returns their ids, the last pinned one last. */
  of(channel: string): readonly string[] {
    return this.#ids.get(channel) ?? []
  }

  pin(channel: string, id: string): void {
    this.unpin(channel, id)
    this.#ids.set(channel, [...this.of(channel), id])
  }

  /** Returns whether the message was pinned; the last pinned one when left out. */
  unpin(channel: string, id = this.of(channel).at(-1)): boolean {
    const before = this.of(channel)
    this.#ids.set(
      channel,
      before.filter(each => each !== id),
    )
    return this.of(channel).length < before.length
  }
}

/** Finds the button with a label in the newest message that has one. Throws with the labels that there are. */
export const findButton = <M, B extends {readonly label: string}>(
  label: string,
  messages: readonly M[],
  buttonsOf: (message: M) => readonly B[],
): {readonly message: M; readonly button: B} => {
  for (const message of messages.toReversed()) {
    const button = buttonsOf(message).find(each => each.label === label)
    if (button !== undefined) return {message, button}
  }
  const labels = [...new Set(messages.flatMap(buttonsOf).map(each => each.label))]
  throw new Error(`no such message of the bot has the button ${label}; there are: ${labels.join(", ") || "none"}`)
}
