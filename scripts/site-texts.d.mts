export function siteTexts(): ReadonlyMap<string, string>
