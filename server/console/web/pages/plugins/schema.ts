/** The parts of a JSON Schema that the forms of a plugin's settings read. */
export interface Schema {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
  readonly items?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly unknown[]
  readonly default?: unknown
  readonly description?: string
  readonly secret?: boolean
  readonly format?: string
}

export type Mapping = Readonly<Record<string, unknown>>

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Returns the values of an enumeration; empty for any other schema. */
export const choicesOf = ({enum: values, anyOf = []}: Schema): readonly unknown[] => {
  if (values !== undefined) return values
  return anyOf.every(each => isMapping(each) && "const" in each) ? anyOf.map(each => (each as Mapping).const) : []
}
