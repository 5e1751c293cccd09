/** Reads one metric from a page of metrics, by the value of one label. */
export const metricBy = (page: string, name: string, label: string): Readonly<Record<string, number>> => {
  const found: Record<string, number> = {}
  for (const line of page.split("\n")) {
    if (!line.startsWith(`${name}{`)) continue
    const match = /^[^{]+\{(.*)\} (\S+)$/.exec(line)
    const key = new RegExp(`(?:^|,)${label}="([^"]*)"`).exec(match?.[1] ?? "")?.[1]
    if (key !== undefined) found[key] = Number(match?.[2])
  }
  return found
}

export const sumOf = (counts: Readonly<Record<string, number>>, ...keys: readonly string[]): number =>
  keys.reduce((sum, key) => sum + (counts[key] ?? 0), 0)
