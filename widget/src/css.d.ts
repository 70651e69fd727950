// The build inlines a style sheet as a string.
declare module "*.css" {
  const css: string;
  export default css;
}
