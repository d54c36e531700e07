"""The language of configurations, as its XML schema describes it."""

XS = "{http://www.w3.org/2001/XMLSchema}"


class Language:
    """The rules of the schema: which elements and attributes there are, and of what kind their values are."""

    def __init__(self, schema):
        self.children, self.attributes, self.required, self.kinds, self.words = {}, {}, {}, {}, {}
        self._walk(schema.find(f"{XS}element"), "")

    def _walk(self, element, parent):
        place = element.get("name"), parent
        self.children.setdefault(parent, []).append(place[0])
        self.attributes[place], self.required[place] = [], []
        for one in element.findall(f"{XS}complexType/{XS}attribute"):
            name = one.get("name")
            self.attributes[place].append(name)
            if one.get("use") == "required":
                self.required[place].append(name)
            self.kinds[*place, name] = one.get("type") or "word"
            self.words[*place, name] = [word.get("value") for word in one.iter(f"{XS}enumeration")]
        if element.find(f"{XS}complexType[@mixed='true']") is not None:
            self.kinds[*place, ""] = "expression"
        for child in element.findall(f"{XS}complexType/{XS}choice/{XS}element"):
            self._walk(child, place[0])
