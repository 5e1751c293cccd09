/** What the forms of a plugin's settings read of a JSON Schema. */
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
}

export type Mapping = Readonly<Record<string, unknown>>

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The values of a schema that is one of several; none for any other. */
export const choicesOf = ({enum: values, anyOf = []}: Schema): readonly unknown[] => {
  if (values !== undefined) return values
  return anyOf.every(each => isMapping(each) && "const" in each) ? anyOf.map(each => (each as Mapping).const) : []
}
