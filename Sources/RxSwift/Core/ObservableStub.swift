// Stands in for Observable until it lands; whoever lands it deletes this file.
public class Observable<Element> {}
