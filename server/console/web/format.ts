const units: readonly (readonly [size: number, name: string])[] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
]

/** A duration in words: `3 s`, `12 min`, `2 h 5 min`, `3 d 4 h`. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const index = units.findIndex(([size]) => whole >= size)
  const [size, name] = units[index] ?? [1, "s"]
  const count = Math.floor(whole / size)
  const [nextSize, nextName] = units[index + 1] ?? [0, ""]
  const rest = nextSize < 60 ? 0 : Math.floor((whole % size) / nextSize)
  return rest === 0 ? `${count} ${name}` : `${count} ${name} ${rest} ${nextName}`
}

/** How long ago something was, `at` as the API writes times. */
export const ago = (at: string, now: number): string => `${duration((now - Date.parse(at)) / 1000)} ago`

const clock = new Intl.DateTimeFormat("en-GB", {hour: "2-digit", minute: "2-digit", second: "2-digit"})
const day = new Intl.DateTimeFormat("en-GB", {day: "numeric", month: "short", hour: "2-digit", minute: "2-digit"})

/** A time of today by its clock, another one by its day. */
export const time = (at: string | number, now = Date.now()): string => {
  const date = new Date(at)
  return date.toDateString() === new Date(now).toDateString() ? clock.format(date) : day.format(date)
}

/** `12 KB`, `3.4 MB`, by 1024. */
export const bytes = (count: number): string => {
  const names = ["B", "KB", "MB", "GB", "TB"]
  const step = Math.min(names.length - 1, Math.floor(Math.log2(Math.max(1, Math.abs(count))) / 10))
  const value = count / 1024 ** step
  return `${step === 0 || Math.abs(value) >= 100 ? Math.round(value) : value.toFixed(1)} ${names[step]}`
}

const numbers = new Intl.NumberFormat("en-GB")
export const number = (value: number): string => numbers.format(value)

/** `1 event`, `2 events`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** Where something stands in a file: `plugins/greeter.ts:3:7`. */
export const place = ({file, line, column}: {readonly file: string; readonly line: number; readonly column: number}) =>
  `${file}:${line}:${column}`

/** The first part of a long id. */
export const short = (id: string): string => id.slice(0, 8)
