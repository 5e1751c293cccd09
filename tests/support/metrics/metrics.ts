import type {TestHost} from "../host/host.ts"

export type Labels = Readonly<Record<string, string>>

/** A page of metrics, parsed as Prometheus does. */
export interface ReadMetrics {
  readonly text: string
  /** The names of all declared metrics, with or without series. */
  readonly names: readonly string[]
  /** The series of a name that have these labels, among others. */
  series(name: string, labels?: Labels): readonly {readonly labels: Labels; readonly value: number}[]
  /** The value of the only such series. Throws if there is none, or more than one. */
  value(name: string, labels?: Labels): number
}

const line = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/

const labelsOf = (text: string): Labels =>
  Object.fromEntries([...text.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]))

export const parseMetrics = (text: string): ReadMetrics => {
  const all = text.split("\n").flatMap(each => {
    const [, name = "", labels = "", value] = line.exec(each) ?? []
    return name === "" ? [] : [{name, labels: labelsOf(labels), value: Number(value)}]
  })
  const series: ReadMetrics["series"] = (name, labels = {}) =>
    all.filter(each => each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value))
  return {
    text,
    names: [...text.matchAll(/^# TYPE (\S+) /gm)].map(match => match[1] ?? ""),
    series,
    value: (name, labels) => {
      const [only, ...others] = series(name, labels)
      if (only === undefined || others.length > 0)
        throw new Error(`${others.length + (only ? 1 : 0)} series of ${name} ${JSON.stringify(labels)} in\n${text}`)
      return only.value
    },
  }
}

export const metricsOf = async (host: TestHost): Promise<ReadMetrics> => {
  const response = await host.fetch("/api/metrics")
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text}`)
  return parseMetrics(text)
}
