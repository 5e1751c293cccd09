import typescript from "typescript"

/**
 * Replaces a module's imports by calls at its top, for the modules for which `callFor` returns a call. The imported values
 * must never change.
 */
export const takeModules = (file: string, text: string, callFor: (module: string) => string | undefined): string => {
  const source = typescript.createSourceFile(file, text, typescript.ScriptTarget.Latest)
  const taken: string[] = []
  let rest = ""
  let end = 0
  for (const statement of source.statements) {
    if (!typescript.isImportDeclaration(statement) || !typescript.isStringLiteral(statement.moduleSpecifier)) continue
    const call = callFor(statement.moduleSpecifier.text)
    if (call === undefined) continue
    taken.push(...declarationsFor(statement, call))
    rest += text.slice(end, statement.getStart(source))
    end = statement.end
  }
  return taken.length === 0 ? text : `${taken.join("\n")}\n${rest}${text.slice(end)}`
}

/** Returns the declarations for an import. Both the default export and the namespace are the result of the call. */
const declarationsFor = ({importClause}: typescript.ImportDeclaration, call: string): readonly string[] => {
  const bindings = importClause?.namedBindings
  const elements = bindings !== undefined && typescript.isNamedImports(bindings) ? bindings.elements : []
  const isWhole = ({propertyName}: typescript.ImportSpecifier) => propertyName?.text === "default"
  const wholes = [
    importClause?.name,
    bindings !== undefined && typescript.isNamespaceImport(bindings) ? bindings.name : undefined,
    ...elements.filter(isWhole).map(({name}) => name),
  ].filter(name => name !== undefined)
  const parts = elements
    .filter(element => !isWhole(element))
    .map(({name, propertyName}) => (propertyName === undefined ? name.text : `${propertyName.text}: ${name.text}`))
  const declarations = [...wholes.map(({text}) => text), ...(parts.length === 0 ? [] : [`{${parts.join(", ")}}`])]
  return declarations.length === 0 ? [`${call};`] : declarations.map(names => `const ${names} = ${call};`)
}
