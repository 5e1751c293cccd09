export interface Message {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
}

/** Opens a database in a scratch folder. `answer` gets the status once the message is durable or refused. */
export declare const openInbox: (
  secret: string,
) => Promise<(message: Message, answer: (status: number) => void) => void>
