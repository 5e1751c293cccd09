import {isBuiltin} from "node:module"
import typescript from "typescript"

/**
 * Has a module take the runtime's own modules by a call instead of by imports. For an import, Node reads each export of
 * the module, and some of them load what no Host needs.
 */
export const takeBuiltins = (file: string, text: string): string => {
  const source = typescript.createSourceFile(file, text, typescript.ScriptTarget.Latest)
  const taken: string[] = []
  let rest = ""
  let end = 0
  for (const statement of source.statements) {
    if (!typescript.isImportDeclaration(statement)) continue
    const declaration = declarationFor(statement)
    if (declaration === undefined) continue
    taken.push(declaration)
    rest += text.slice(end, statement.getStart(source))
    end = statement.end
  }
  return taken.length === 0 ? text : `${taken.join("\n")}\n${rest}${text.slice(end)}`
}

/** The declarations that stand for an import of one of the runtime's modules. */
const declarationFor = ({importClause, moduleSpecifier}: typescript.ImportDeclaration): string | undefined => {
  if (!typescript.isStringLiteral(moduleSpecifier) || !isBuiltin(moduleSpecifier.text)) return undefined
  const module = `process.getBuiltinModule(${JSON.stringify(moduleSpecifier.text)})`
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
  return [
    ...wholes.map(({text}) => `const ${text} = ${module};`),
    ...(parts.length === 0 ? [] : [`const {${parts.join(", ")}} = ${module};`]),
  ].join("\n")
}
