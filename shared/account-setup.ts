/** A question whose answer is a key of the account. */
export interface AccountQuestion {
  readonly key: string
  /** The environment variable with the answer. */
  readonly variable: string
  /** Where a person finds the answer, in one line. */
  readonly where: string
  /** Is it no secret? Then it stands in svc.config.yml. */
  readonly isPublic?: boolean
}

/** A bot on its platform. Without a name, nobody has asked the platform. */
export interface Met {
  readonly name?: string
  /** The next steps on the platform. */
  readonly next: readonly string[]
}

/** How `svc init --platform` makes the first account of a built-in adapter. */
export interface AccountSetup extends Met {
  readonly title: string
  readonly id: string
  readonly questions: readonly AccountQuestion[]
  /** The key of the address of the platform's API. */
  readonly address: string
  /** Further keys of the account. */
  readonly more?: Readonly<Record<string, unknown>>
  /** Asks the platform, without a library, who the bot is. Throws a refusal, or why there is no answer. */
  meet(values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Met>
}
