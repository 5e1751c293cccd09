const inspect = Symbol.for("nodejs.util.inspect.custom")

/** A value from the environment that never prints: JSON, string and inspection all show `[secret]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** Returns the value, for the one call that needs it. */
  reveal(): string {
    return this.#value
  }

  toJSON(): string {
    return "[secret]"
  }

  toString(): string {
    return "[secret]"
  }

  [inspect](): string {
    return "[secret]"
  }
}
