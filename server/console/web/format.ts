import {language} from "./language.ts"
import {dates, numbers, perLanguage} from "./locale.ts"
import {texts} from "./texts.ts"

export const number = numbers()

type Say = (count: number) => string

/** Chinese says the words; the symbols are shorter elsewhere, and end no sentence too early. */
const unit = (name: string, symbol: string): Say => {
  const inWords = numbers({style: "unit", unit: name, unitDisplay: "short"})
  return count => (language() === "zh" ? inWords(count) : `${number(count)} ${symbol}`)
}

const second: readonly [size: number, say: Say] = [1, unit("second", "s")]
const units = [[86_400, unit("day", "d")], [3600, unit("hour", "h")], [60, unit("minute", "min")], second] as const

/** A duration in words: `3 s`, `12 min`, `2 h 5 min`, `3 d 4 h`. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const index = units.findIndex(([size]) => whole >= size)
  const [size, say] = units[index] ?? second
  const [nextSize, sayNext] = units[index + 1] ?? second
  const said = say(Math.floor(whole / size))
  const rest = nextSize < 60 ? 0 : Math.floor((whole % size) / nextSize)
  return rest === 0 ? said : [said, sayNext(rest)].join(language() === "zh" ? "" : " ")
}

/** How long ago something was, `at` as the API writes times. */
export const ago = (at: string, now: number): string => texts.ago(duration((now - Date.parse(at)) / 1000))

const clock = dates({hour: "2-digit", minute: "2-digit", second: "2-digit"})
const day = dates({day: "numeric", month: "short", hour: "2-digit", minute: "2-digit"})
const whole = dates({dateStyle: "medium", timeStyle: "medium"})

/** A time of today by its clock, another one by its day. */
export const time = (at: string | number, now = Date.now()): string => {
  const date = new Date(at)
  return date.toDateString() === new Date(now).toDateString() ? clock(date) : day(date)
}

/** A time with its day, its year and its seconds. */
export const fullTime = (at: string): string => whole(new Date(at))

const tenths = numbers({minimumFractionDigits: 1, maximumFractionDigits: 1})

/** A value with one digit behind the point: `4.2`. */
export const tenth = (value: number): string => tenths(value)

/** `12 KB`, `3.4 MB`, by 1024. */
export const bytes = (count: number): string => {
  const names = ["B", "KB", "MB", "GB", "TB"]
  const step = Math.min(names.length - 1, Math.floor(Math.log2(Math.max(1, Math.abs(count))) / 10))
  const value = count / 1024 ** step
  return `${step === 0 || Math.abs(value) >= 100 ? Math.round(value) : tenths(value)} ${names[step]}`
}

const wholeShare = numbers({maximumFractionDigits: 0})
const exactShare = numbers({minimumFractionDigits: 2, maximumFractionDigits: 2})

/** `12 %`; exact to the hundredth where that is asked for: `99.95 %`. */
export const percent = (share: number, isExact = false): string =>
  `${(isExact ? exactShare : wholeShare)(share * 100)} %`

const lists = perLanguage(locale => new Intl.ListFormat(locale))

/** Names within a sentence: `a, b and c`. */
export const list = (names: readonly string[]): string => lists().format(names)

/** Where something stands in a file: `plugins/greeter.ts:3:7`. */
export const place = ({file, line, column}: {readonly file: string; readonly line: number; readonly column: number}) =>
  `${file}:${line}:${column}`

/** The first part of a long id. */
export const short = (id: string): string => id.slice(0, 8)
