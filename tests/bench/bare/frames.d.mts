export interface Ticks {
  readonly count: number
  /** Events per second. */
  readonly rate: number
}

export declare const frameOf: (n: number) => string
export declare const tick: (ticks: Ticks, send: (n: number) => void) => Promise<void>
