/** What `svc init --platform` asks for, with a key of the account for each value. */
export interface AccountQuestion {
  readonly key: string
  /** The environment variable that has the value if there is no terminal. */
  readonly variable: string
  /** One line: where a person finds the value. */
  readonly where: string
  /** Is the value no secret? Then it is shown, and stands in svc.config.yml. */
  readonly isPublic?: boolean
}

/** What a new bot has to know and do, as far as its platform has told. */
export interface Met {
  /** The bot's name on the platform. */
  readonly name: string
  readonly next: readonly string[]
}

/** How `svc init --platform` makes a built-in adapter's first account. */
export interface AccountSetup {
  readonly title: string
  readonly id: string
  readonly questions: readonly AccountQuestion[]
  /** The key of the address of the platform's API. */
  readonly address: string
  /** Further keys of the account. */
  readonly more?: Readonly<Record<string, unknown>>
  /** The next step on the platform if nobody has asked the platform. */
  readonly next: string
  /** Asks the platform with values by key, before any library is installed. Throws a refusal, or why it got no answer. */
  meet(values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Met>
}
