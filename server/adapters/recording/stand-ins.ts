const letters = "abcdefghijklmnopqrstuvwxyz"

/** Returns pseudo-random whole numbers below a bound: the same ones for the same seed, so that a recording is stable. */
const randomFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/**
 * Returns another text of the same form and length: letters for letters, digits for digits. White space stays;
 * punctuation stays unless `isPlain`. Whatever else there is, such as emoji, becomes letters.
 */
const formOf = (text: string, seed: number, isPlain: boolean): string => {
  const random = randomFrom(seed)
  const [scheme = ""] = isPlain ? [] : (/^https?:\/\//.exec(text) ?? [])
  const rest = Array.from({length: text.length - scheme.length}, (_, index) => {
    const unit = text[scheme.length + index] ?? ""
    if (/[0-9]/.test(unit)) return String(random(10))
    if (/\s/.test(unit)) return unit
    if (!isPlain && /[!-/:-@[-`{-~]/.test(unit)) return unit
    const letter = letters[random(letters.length)] ?? ""
    return /[A-Z]/.test(unit) ? letter.toUpperCase() : letter
  })
  return scheme + rest.join("")
}

/** How many forms to try before punctuation goes too, and how many in total. */
const tries = {form: 20, all: 200} as const

/** Texts shorter than this are replaced, but not searched for: they occur by chance. */
const shortest = 4

const isNumber = (text: string): boolean => /^-?[1-9]\d*$/.test(text)

/** The digits of a number without its sign; a supergroup of Telegram has `-100` before its own. */
const partsOf = (number: string): readonly [string, string] => {
  const [, sign = "", digits = number] = /^(-100(?=[1-9]\d{9}$)|-)?(\d+)$/.exec(number) ?? []
  return [sign, digits]
}

/**
 * The stand-ins of a recording: equal values have equal ones. Those of numbers have the same length and order. None has
 * an original text or number in it, if that is at least four characters long.
 */
export class StandIns {
  readonly #texts = new Set<string>()
  readonly #digits = new Set<string>()
  readonly #made = new Map<string, string>()
  #numbers: ReadonlyMap<string, string> | undefined

  /** Learns an original. All must be known before the first stand-in. */
  learn(value: string | number): void {
    const text = String(value)
    if (isNumber(text)) this.#digits.add(partsOf(text)[1])
    else this.#texts.add(text)
  }

  /** Returns the stand-in of an original. */
  replace(value: string | number): string | number {
    const text = String(value)
    if (isNumber(text)) {
      const [sign, digits] = partsOf(text)
      this.#numbers ??= this.#numberAll()
      const replaced = `${sign}${this.#numbers.get(digits) ?? "1"}`
      return typeof value === "string" ? replaced : Number(replaced)
    }
    // Zero says nothing, and a fraction only whether it is one.
    if (typeof value === "number") return Number.isInteger(value) ? value : 0.5
    const made = this.#made.get(text) ?? this.#make(text)
    this.#made.set(text, made)
    return made
  }

  /** Returns the originals, of at least four characters, that a text of the recording has in it. */
  found(text: string): readonly string[] {
    const numbers = new Set((text.match(/-?\d+/g) ?? []).map(number => partsOf(number)[1]))
    return [
      ...[...this.#texts].filter(original => original.length >= shortest && text.includes(original)),
      ...[...this.#digits].filter(original => original.length >= shortest && numbers.has(original)),
    ]
  }

  #make(text: string): string {
    const taken = new Set(this.#made.values())
    let made = text
    for (let n = 0; n < tries.all; n++) {
      made = formOf(text, this.#made.size * tries.all + n, n >= tries.form)
      const isOther = made !== text && !(taken.has(made) && n < tries.form)
      if (isOther && this.found(made).length === 0) return made
    }
    return made
  }

  /** Returns a number for each, of the same length and in the same order. Long ones are no originals. */
  #numberAll(): ReadonlyMap<string, string> {
    const numbered = new Map<string, string>()
    const byLength = Map.groupBy(this.#digits, digits => digits.length)
    for (const [length, originals] of byLength) {
      let next = 10n ** BigInt(length - 1)
      for (const original of [...originals].sort()) {
        while (length >= shortest && this.#digits.has(String(next))) next++
        numbered.set(original, String(next++))
      }
    }
    return numbered
  }
}
