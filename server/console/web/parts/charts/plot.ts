import type uPlot from "uplot"

/** One line of a chart. */
export interface PlotSeries {
  readonly name: string
  /** The name of a CSS custom property. */
  readonly color: string
  /** Null for an unknown value: the line breaks there. */
  readonly values: readonly (number | null)[]
}

export const colorIn = (box: HTMLElement) => (name: string) => getComputedStyle(box).getPropertyValue(name).trim()

export const dataOf = (times: readonly number[], series: readonly PlotSeries[]): uPlot.AlignedData => [
  [...times],
  ...series.map(({values}) => [...values]),
]

/** The options that all charts share; times in seconds since 1970. */
export const styleOf = (box: HTMLElement, series: readonly PlotSeries[], timeText: (seconds: number) => string) => {
  const colorOf = colorIn(box)
  const axis = {
    stroke: () => colorOf("--muted"),
    grid: {stroke: () => colorOf("--line"), width: 1},
    ticks: {show: false},
  }
  const times: uPlot.Axis = {
    ...axis,
    size: 22,
    space: 70,
    grid: {show: false},
    values: (_, splits) => splits.map(timeText),
  }
  return {
    legend: {show: false},
    padding: [6, 16, 0, 0] satisfies uPlot.Padding,
    axis,
    times,
    series: [
      {},
      ...series.map(({name, color}) => ({
        label: name,
        stroke: () => colorOf(color),
        fill: () => `color-mix(in srgb, ${colorOf(color)} 14%, transparent)`,
        width: 1.75,
        points: {show: false},
      })),
    ],
  }
}
