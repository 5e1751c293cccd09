/** No argument of a process can contain it. */
const mark = "\0"

/** Marks an argument such as the group -1001234 or `- a point`: the parser would refuse it as an option with a bad name. */
export const marked = (arg: string): string => (/^-[^a-z-]/i.test(arg) ? mark + arg : arg)

/** Returns what the parser made of marked arguments, without the marks. */
export const unmarked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(unmarked)
  return typeof value === "string" ? value.replaceAll(mark, "") : value
}
