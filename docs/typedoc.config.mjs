import { entriesOf, packageNames } from '../scripts/packages.mjs'

export default {
  name: 'API reference',
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: '../tsconfig.json',
  entryPoints: packageNames.flatMap(entriesOf).map(({ source }) => `../${source}`),
  out: '.site/docs/api',
  entryFileName: 'index',
  readme: 'none',
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  skipErrorChecking: true,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'list',
  typeDeclarationFormat: 'table',
}
