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
  const [scheme = ""] = isPlain ? [] : (/^(https?|wss?):\/\//.exec(text) ?? [])
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

/** A time of Slack, which is also the id of a message: the digits are a number. */
const stamp = /^\d{9,10}\.\d{6}$/

const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))

/** The first time of a recording's stand-ins. */
const firstTime = Date.UTC(2001, 0)

/** Returns the digits of all numbers in a text, and of those with a fraction also together. */
const numbersIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...text.matchAll(/(-?\d+)(\.\d+)?/g)].flatMap(([all, whole = ""]) => [
      partsOf(whole)[1],
      partsOf(all.replace(".", ""))[1],
    ]),
  )

/**
 * The stand-ins of a recording: equal values have equal ones. Those of numbers have the same length, and those of
 * numbers and times the same order. None has an original text or number in it that is at least four characters long.
 */
export class StandIns {
  readonly #texts = new Set<string>()
  readonly #digits = new Set<string>()
  readonly #made = new Map<string, string>()
  readonly #idStart: RegExp | undefined
  #numbers: ReadonlyMap<string, string> | undefined
  #times: readonly number[] | undefined

  /** `idStart` matches what stays of an id. */
  constructor(idStart?: RegExp) {
    this.#idStart = idStart
  }

  /** Learns an original. All must be known before the first stand-in. */
  learn(value: string | number): void {
    const text = String(value)
    if (stamp.test(text)) this.#digits.add(text.replace(".", ""))
    else if (isNumber(text)) this.#digits.add(partsOf(text)[1])
    else if (text.trim() !== "") this.#texts.add(text)
  }

  /** Returns the stand-in of an original. */
  replace(value: string | number): string | number {
    const text = String(value)
    if (stamp.test(text)) return this.#number(text.replace(".", "")).replace(/(?=.{6}$)/, ".")
    if (isNumber(text)) {
      const [sign, digits] = partsOf(text)
      const replaced = `${sign}${this.#number(digits)}`
      return typeof value === "string" ? replaced : Number(replaced)
    }
    // Zero says nothing. Of a fraction, and of a number with an exponent, only the kind stays.
    if (typeof value === "number") return Number.isInteger(value) ? Math.sign(value) : 0.5
    if (text.trim() === "") return text
    const made = this.#made.get(text) ?? (isTime(text) ? this.#time(text) : this.#make(text))
    this.#made.set(text, made)
    return made
  }

  /** Returns the originals, of at least four characters, that a text of the recording has in it. */
  found(text: string): readonly string[] {
    const numbers = numbersIn(text)
    return [
      ...[...this.#texts].filter(original => original.length >= shortest && text.includes(original)),
      ...[...this.#digits].filter(original => original.length >= shortest && numbers.has(original)),
    ]
  }

  #number(digits: string): string {
    this.#numbers ??= this.#numberAll()
    return this.#numbers.get(digits) ?? "1"
  }

  #time(text: string): string {
    const timesIn = () => [...this.#texts].filter(isTime).map(each => Date.parse(each))
    this.#times ??= [...new Set(timesIn())].sort((one, other) => one - other)
    const moved = new Date(firstTime + 1000 * this.#times.indexOf(Date.parse(text)))
    return moved.toISOString().slice(0, 19) + text.slice(19).replace(/\d/g, "0")
  }

  #make(text: string): string {
    const taken = new Set(this.#made.values())
    const [start = ""] = this.#idStart?.exec(text) ?? []
    let made = text
    for (let n = 0; n < tries.all; n++) {
      made = start + formOf(text.slice(start.length), this.#made.size * tries.all + n, n >= tries.form)
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
