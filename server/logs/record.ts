/** One log record as it is written and shown. */
export type LogRecord = {
  readonly time: string
  readonly level: string
  readonly message: string
} & {readonly [field: string]: unknown}

/** An error as a record shows it. */
export interface DescribedError {
  readonly name: string
  readonly message: string
  readonly code?: string
  readonly issues?: readonly string[]
  readonly stack?: readonly string[]
  readonly cause?: unknown
  readonly errors?: readonly unknown[]
}
